//! A step of training as autograd records it: tensors with their storages, the operations between them, and what each operation keeps for
//! the backward pass. From that follow the bytes that live through the forward pass and where memory peaks. Sizes only, no values.
//!
//! The rules which operation keeps what are those of `PyTorch`'s `tools/autograd/derivatives.yaml`; which of them run at which width under
//! autocast is `aten/src/ATen/autocast_mode.h`; lifetimes are those of `torch/csrc/autograd/engine.cpp`.

use crate::workload::training::Targets;

/// No tensor is larger: more than any card holds, and small enough that sums over all layers stay countable.
const MOST: u64 = 1 << 40;

/// A tensor on the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct V(u32);

/// What part of the network a storage belongs to: the lines of the ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tag {
    #[default]
    Norm,
    Attention,
    /// Grows with the square of the sequence: scores, masks.
    Score,
    Mlp,
    Loss,
    Other,
}

impl Tag {
    pub const COUNT: usize = 6;
    pub const ALL: [Self; Self::COUNT] = [Self::Norm, Self::Attention, Self::Score, Self::Mlp, Self::Loss, Self::Other];
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Who owns a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Made before this piece of the tape: the input, tables shared by all layers.
    Outside,
    Param,
    /// A narrow copy of a weight, made by autocast.
    Copy,
    Inside,
}

#[derive(Clone, Copy, Debug)]
struct Store {
    bytes: u64,
    owner: Owner,
    tag: Tag,
    born: u32,
    last: u32,
    saves: u32,
    /// Autocast keeps it until the forward pass ends.
    held: bool,
}

#[derive(Clone, Copy, Debug)]
struct Value {
    store: u32,
    elements: u64,
    width: u8,
    grad: bool,
    param: bool,
}

/// How a gradient reaches an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// As a new tensor of the input's size.
    New,
    /// As the tensor that came in.
    Same,
    /// As a new tensor of the size of the storage that the input is a piece of.
    Whole,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Half-open ranges into `outs`, `ins` and `saved`.
    outs: (u32, u32),
    ins: (u32, u32),
    saved: (u32, u32),
    /// Bytes of passing tensors beside the gradients.
    temp: u64,
}

/// How tensors are stored and what trains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    /// Bytes of an element of the stored weights.
    pub weights: u8,
    /// Bytes of an element of what passes between layers where nothing casts.
    pub stream: u8,
    /// Matrices are multiplied at 2 bytes, sums and norms at 4.
    pub autocast: bool,
    /// Anything at all is recorded.
    pub record: bool,
    /// The weights themselves train; false = only adapters.
    pub full: bool,
    /// Rank of adapters on the matrices marked for them.
    pub lora: Option<(u64, Targets)>,
    /// Matrices of the layers are stored at 4 bits.
    pub quantized: bool,
    /// A second gradient is added into the first, as the engine does if it holds the only reference; false = into a new tensor, as with
    /// fake tensors.
    pub in_place: bool,
}

/// A recorded piece of a step: the operations of one layer, or of what stands before or after the layers.
#[derive(Debug)]
pub(super) struct Tape {
    pub mode: Mode,
    tag: Tag,
    values: Vec<Value>,
    stores: Vec<Store>,
    nodes: Vec<Node>,
    ins: Vec<(V, Flow)>,
    outs: Vec<V>,
    saved: Vec<u32>,
    step: u32,
    /// Trainable parameters: bytes, number of tensors, elements.
    pub trainable: (u64, u64, u64),
    /// All parameters, adapters included: bytes, elements.
    pub params: (u64, u64),
    /// Bytes that stay after this piece although nothing on the tape needs them (key-value cache).
    pub kept: u64,
}

/// What one piece of the tape costs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// Bytes kept for the backward pass by part, without copies of weights and without what stood outside.
    pub saved: [u64; Tag::COUNT],
    /// Kept narrow copies of weights.
    pub copies: u64,
    /// Kept bytes that stood outside.
    pub outside: u64,
    /// Kept copies of weights that do not train.
    pub frozen_copies: u64,
    /// Copies that autocast holds until the forward pass ends; those kept for the backward pass are among them.
    pub held: u64,
    /// The input, if it is among the saved.
    pub input_saved: u64,
    /// Highest sum of live tensors in the forward pass over what lived before, saved ones included.
    pub forward_peak: u64,
    /// The same where nothing is kept: the forward pass of a recomputed layer.
    pub forward_free: u64,
    /// Highest sum of live tensors in the backward pass, its saved tensors and incoming gradient included.
    pub backward_peak: u64,
    /// Gradients of parameters that are left behind.
    pub grads: u64,
    /// Gradient that is handed on.
    pub grad_out: u64,
    pub kept: u64,
}

impl Cost {
    pub fn saved(&self) -> u64 {
        self.saved.iter().sum::<u64>() + self.copies
    }
}

impl Tape {
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            tag: Tag::Other,
            values: Vec::with_capacity(96),
            stores: Vec::with_capacity(96),
            nodes: Vec::with_capacity(64),
            ins: Vec::with_capacity(128),
            outs: Vec::with_capacity(64),
            saved: Vec::with_capacity(128),
            step: 0,
            trainable: (0, 0, 0),
            params: (0, 0),
            kept: 0,
        }
    }

    pub fn part(&mut self, tag: Tag) {
        self.tag = tag;
    }

    fn value(&self, v: V) -> Value {
        self.values.get(v.0 as usize).copied().unwrap_or(Value { store: 0, elements: 0, width: 1, grad: false, param: false })
    }
    pub fn width(&self, v: V) -> u8 {
        self.value(v).width
    }
    pub fn elements(&self, v: V) -> u64 {
        self.value(v).elements
    }
    pub fn grad(&self, v: V) -> bool {
        self.value(v).grad
    }
    fn bytes(&self, v: V) -> u64 {
        let v = self.value(v);
        v.elements.saturating_mul(u64::from(v.width)).min(MOST)
    }

    fn store(&mut self, bytes: u64, owner: Owner) -> u32 {
        let bytes = bytes.min(MOST);
        let id = self.stores.len() as u32;
        self.stores.push(Store { bytes, owner, tag: self.tag, born: self.step, last: self.step, saves: 0, held: false });
        id
    }
    fn make(&mut self, value: Value) -> V {
        let id = V(self.values.len() as u32);
        self.values.push(value);
        id
    }

    /// A tensor made before this piece.
    pub fn outside(&mut self, elements: u64, width: u8, grad: bool) -> V {
        let store = self.store(elements.saturating_mul(u64::from(width)), Owner::Outside);
        self.make(Value { store, elements, width, grad: grad && self.mode.record, param: false })
    }

    /// A parameter with its own width.
    pub fn param(&mut self, elements: u64, width: u8, trains: bool) -> V {
        self.stored(elements.saturating_mul(u64::from(width)), elements, width, trains)
    }

    /// A parameter whose bytes do not follow from a width, as of a block format.
    pub fn stored(&mut self, bytes: u64, elements: u64, width: u8, trains: bool) -> V {
        let (bytes, elements) = (bytes.min(MOST), elements.min(MOST));
        self.params = (self.params.0.saturating_add(bytes), self.params.1.saturating_add(elements));
        let grad = trains && self.mode.record;
        if trains {
            let (b, n, e) = self.trainable;
            self.trainable = (b.saturating_add(bytes), n + 1, e.saturating_add(elements));
        }
        let store = self.store(bytes, Owner::Param);
        self.make(Value { store, elements, width, grad, param: true })
    }

    /// A weight of the model.
    pub fn weight(&mut self, elements: u64) -> V {
        self.param(elements, self.mode.weights, self.mode.full)
    }

    /// An operation with one new result of `elements` × `width` bytes.
    pub fn op(&mut self, ins: &[(V, Flow)], elements: u64, width: u8, keeps: &[V], temp: u64) -> V {
        self.step += 1;
        let store = self.store(elements.saturating_mul(u64::from(width)), Owner::Inside);
        let out = self.make(Value { store, elements, width, grad: false, param: false });
        self.record(ins, &[out], keeps, temp);
        out
    }

    /// A tensor that an operation makes beside its result (masks, statistics, indices): it lives only if something keeps it.
    pub fn beside(&mut self, elements: u64, width: u8) -> V {
        let store = self.store(elements.saturating_mul(u64::from(width)), Owner::Inside);
        self.make(Value { store, elements, width, grad: false, param: false })
    }

    /// Has the newest operation keep a tensor too, if it was recorded: its own result.
    pub fn also_keep(&mut self, v: V) {
        self.also_keep_if(v, v);
    }

    /// Pieces of a tensor: no bytes of their own; their gradients come back as one new tensor.
    pub fn split<const N: usize>(&mut self, x: V, parts: [u64; N]) -> [V; N] {
        self.step += 1;
        let whole = self.value(x);
        let outs = parts.map(|elements| self.make(Value { elements, param: false, grad: false, ..whole }));
        self.record(&[(x, Flow::New)], &outs, &[], 0);
        outs
    }

    /// A view of a part of a tensor.
    pub fn piece(&mut self, x: V, elements: u64, flow: Flow) -> V {
        self.step += 1;
        let whole = self.value(x);
        let out = self.make(Value { elements, param: false, grad: false, ..whole });
        self.record(&[(x, flow)], &[out], &[], 0);
        out
    }

    /// The first tensor after the second was added into it.
    pub fn joined(&mut self, a: V, b: V) -> V {
        self.step += 1;
        let whole = self.value(a);
        let out = self.make(Value { param: false, grad: false, ..whole });
        self.record(&[(a, Flow::Same), (b, Flow::Same)], &[out], &[], 0);
        out
    }

    /// Has the newest operation keep another tensor too, if `out` was recorded.
    pub fn also_keep_if(&mut self, out: V, keep: V) {
        if self.value(out).grad {
            let store = self.value(keep).store;
            self.saved.push(store);
            if let Some(s) = self.stores.get_mut(store as usize) {
                s.saves += 1;
            }
            if let Some(node) = self.nodes.last_mut() {
                node.saved.1 += 1;
            }
        }
    }

    /// Marks tensors as used here, so that they live until now.
    pub fn hold(&mut self, values: &[V]) {
        self.step += 1;
        for v in values {
            self.touch(*v);
        }
    }

    fn touch(&mut self, v: V) {
        let at = self.value(v).store as usize;
        let step = self.step;
        if let Some(store) = self.stores.get_mut(at) {
            store.last = store.last.max(step);
        }
    }

    fn record(&mut self, ins: &[(V, Flow)], outs: &[V], keeps: &[V], temp: u64) {
        for (v, _) in ins {
            self.touch(*v);
        }
        let from = (self.ins.len() as u32, self.outs.len() as u32, self.saved.len() as u32);
        self.ins.extend(ins.iter().filter(|(v, _)| self.values.get(v.0 as usize).is_some_and(|v| v.grad)));
        if self.ins.len() as u32 == from.0 {
            return;
        }
        for out in outs {
            if let Some(value) = self.values.get_mut(out.0 as usize) {
                value.grad = true;
            }
            self.outs.push(*out);
        }
        for keep in keeps {
            let store = self.value(*keep).store;
            if let Some(s) = self.stores.get_mut(store as usize) {
                s.saves += 1;
            }
            self.saved.push(store);
        }
        let node = Node {
            ins: (from.0, self.ins.len() as u32),
            outs: (from.1, self.outs.len() as u32),
            saved: (from.2, self.saved.len() as u32),
            temp,
        };
        self.nodes.push(node);
    }

    /// At another width; the same tensor where it has that already.
    pub fn cast(&mut self, x: V, width: u8) -> V {
        if self.width(x) == width { x } else { self.op(&[(x, Flow::New)], self.elements(x), width, &[], 0) }
    }
    /// What autocast does in front of a matrix product.
    pub fn narrow(&mut self, x: V) -> V {
        if self.mode.autocast && self.width(x) == 4 { self.cast(x, 2) } else { x }
    }
    /// What autocast does in front of sums, powers, norms and softmax.
    pub fn wide(&mut self, x: V) -> V {
        if self.mode.autocast { self.cast(x, 4) } else { x }
    }

    /// The copy of a weight that autocast multiplies with. Copies of weights that train are kept until the forward pass ends.
    pub fn weight_for_product(&mut self, weight: V) -> V {
        if !self.mode.autocast || self.width(weight) != 4 {
            return weight;
        }
        let elements = self.elements(weight);
        let copy = self.op(&[(weight, Flow::New)], elements, 2, &[], 0);
        let (at, held) = (self.value(copy).store as usize, self.grad(weight));
        if let Some(store) = self.stores.get_mut(at) {
            (store.owner, store.held) = (Owner::Copy, held);
        }
        copy
    }

    /// Adds up what the piece costs. `x` came from outside and `y` goes on to the next piece, with a gradient of its size coming back.
    pub fn cost(&self, x: Option<V>, y: V) -> Cost {
        let mut cost = Cost { kept: self.kept, ..Cost::default() };
        let x_store = x.map(|x| self.value(x).store as usize);
        for (n, s) in self.stores.iter().enumerate() {
            match s.owner {
                Owner::Copy if s.held => {
                    cost.held += s.bytes;
                    cost.copies += if s.saves > 0 { s.bytes } else { 0 };
                }
                _ if s.saves == 0 => {}
                Owner::Inside => add_saved(&mut cost, *s),
                Owner::Outside if Some(n) == x_store => {
                    add_saved(&mut cost, *s);
                    cost.input_saved = s.bytes;
                }
                Owner::Outside => cost.outside = cost.outside.saturating_add(s.bytes),
                Owner::Copy => {
                    cost.copies += s.bytes;
                    cost.frozen_copies += s.bytes;
                }
                Owner::Param => {}
            }
        }
        cost.forward_peak = self.forward_peak(y, true);
        cost.forward_free = self.forward_peak(y, false);
        self.backward(x, y, &mut cost);
        cost
    }

    fn forward_peak(&self, y: V, keeps: bool) -> u64 {
        let y = self.value(y).store;
        let mut change = vec![(0_u64, 0_u64); self.step as usize + 2];
        for (n, s) in self.stores.iter().enumerate() {
            if !matches!(s.owner, Owner::Inside | Owner::Copy) {
                continue;
            }
            if let Some(c) = change.get_mut(s.born as usize) {
                c.0 += s.bytes;
            }
            let stays = (keeps && s.saves > 0) || n as u32 == y || s.held;
            if !stays && let Some(c) = change.get_mut(s.last as usize) {
                c.1 += s.bytes;
            }
        }
        let (mut live, mut peak) = (0_u64, 0_u64);
        for (born, dead) in change {
            live = live.saturating_add(born);
            peak = peak.max(live);
            live = live.saturating_sub(dead);
        }
        peak
    }

    fn backward(&self, x: Option<V>, y: V, cost: &mut Cost) {
        let mut run = Backward {
            grads: vec![None; self.values.len()],
            stores: Vec::with_capacity(64),
            saves: self.stores.iter().map(|s| s.saves).collect(),
            live: cost.saved(),
            peak: 0,
            params: 0,
        };
        let first = run.alloc(self.bytes(y));
        run.set(y, first);
        for node in self.nodes.iter().rev() {
            self.step_back(*node, &mut run);
        }
        cost.backward_peak = run.peak;
        cost.grads = run.params;
        cost.grad_out = x.and_then(|x| run.take(x)).map_or(0, |g| run.bytes(g));
    }

    fn step_back(&self, node: Node, run: &mut Backward) {
        let outs = self.outs.get(node.outs.0 as usize..node.outs.1 as usize).unwrap_or_default();
        let ins = self.ins.get(node.ins.0 as usize..node.ins.1 as usize).unwrap_or_default();
        let saved = self.saved.get(node.saved.0 as usize..node.saved.1 as usize).unwrap_or_default();
        let incoming: [Option<u32>; 4] = std::array::from_fn(|n| outs.get(n).and_then(|out| run.take(*out)));
        let Some(first) = incoming.iter().flatten().next().copied() else {
            self.release(saved, run);
            return;
        };
        let mut sent: [Option<(V, u32)>; 6] = [None; 6];
        for ((v, flow), slot) in ins.iter().zip(sent.iter_mut()) {
            let grad = match flow {
                Flow::Same => {
                    run.share(first);
                    first
                }
                Flow::New => run.alloc(self.bytes(*v)),
                Flow::Whole => {
                    let store = self.value(*v).store as usize;
                    run.alloc(self.stores.get(store).map_or(0, |s| s.bytes))
                }
            };
            *slot = Some((*v, grad));
        }
        run.peak = run.peak.max(run.live.saturating_add(node.temp));
        self.release(saved, run);
        for grad in incoming.iter().flatten() {
            run.drop(*grad);
        }
        for (v, grad) in sent.iter().flatten() {
            self.deliver(*v, *grad, run);
        }
    }

    fn release(&self, saved: &[u32], run: &mut Backward) {
        for store in saved {
            let Some((left, s)) = run.saves.get_mut(*store as usize).zip(self.stores.get(*store as usize)) else { continue };
            *left = left.saturating_sub(1);
            if *left == 0 && matches!(s.owner, Owner::Inside | Owner::Copy) {
                run.live = run.live.saturating_sub(s.bytes);
            }
        }
    }

    fn deliver(&self, v: V, grad: u32, run: &mut Backward) {
        let bytes = run.bytes(grad);
        if self.value(v).param {
            // Stays as the parameter's gradient.
            run.params = run.params.saturating_add(bytes);
            return;
        }
        match run.take(v) {
            None => run.set(v, grad),
            Some(old) if self.mode.in_place && run.alone(old) => {
                run.drop(grad);
                run.set(v, old);
            }
            Some(old) => {
                let sum = run.alloc(bytes);
                run.drop(old);
                run.drop(grad);
                run.set(v, sum);
            }
        }
    }
}

fn add_saved(cost: &mut Cost, s: Store) {
    if let Some(sum) = cost.saved.get_mut(s.tag.index()) {
        *sum = sum.saturating_add(s.bytes);
    }
}

/// State of the backward pass: gradients by value, their storages with reference counts.
struct Backward {
    grads: Vec<Option<u32>>,
    stores: Vec<(u64, u32)>,
    saves: Vec<u32>,
    live: u64,
    peak: u64,
    params: u64,
}

impl Backward {
    fn alloc(&mut self, bytes: u64) -> u32 {
        self.stores.push((bytes, 1));
        self.live = self.live.saturating_add(bytes);
        self.peak = self.peak.max(self.live);
        self.stores.len() as u32 - 1
    }
    fn bytes(&self, grad: u32) -> u64 {
        self.stores.get(grad as usize).map_or(0, |s| s.0)
    }
    fn alone(&self, grad: u32) -> bool {
        self.stores.get(grad as usize).is_some_and(|s| s.1 == 1)
    }
    fn share(&mut self, grad: u32) {
        if let Some(s) = self.stores.get_mut(grad as usize) {
            s.1 += 1;
        }
    }
    fn drop(&mut self, grad: u32) {
        if let Some(s) = self.stores.get_mut(grad as usize) {
            s.1 = s.1.saturating_sub(1);
            if s.1 == 0 {
                self.live = self.live.saturating_sub(s.0);
            }
        }
    }
    fn take(&mut self, v: V) -> Option<u32> {
        self.grads.get_mut(v.0 as usize).and_then(Option::take)
    }
    fn set(&mut self, v: V, grad: u32) {
        if let Some(slot) = self.grads.get_mut(v.0 as usize) {
            *slot = Some(grad);
        }
    }
}
