//! Max-min fair sharing: no flow can have more without taking from one that has as much or less.

/// A flow over resources, each named by its index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    pub path: Vec<usize>,
    /// What the flow takes at most; `None` = all it can get.
    pub demand: Option<f64>,
}

/// Rate of each flow, in the unit of the capacities. A flow over an unknown capacity, or that shares a resource with one, is unknown.
pub fn fair(capacities: &[Option<f64>], flows: &[Flow]) -> Vec<Option<f64>> {
    let unknown = tainted(capacities, flows);
    let mut left: Vec<f64> = capacities.iter().map(|c| c.unwrap_or(f64::INFINITY)).collect();
    let mut rates: Vec<Option<f64>> = vec![None; flows.len()];
    let mut active: Vec<usize> = (0..flows.len()).filter(|n| !unknown.get(*n).copied().unwrap_or(true)).collect();
    let mut users = vec![0_u32; capacities.len()];
    while !active.is_empty() {
        users.fill(0);
        for resource in active.iter().filter_map(|n| flows.get(*n)).flat_map(|f| &f.path) {
            if let Some(count) = users.get_mut(*resource) {
                *count += 1;
            }
        }
        let shares = users.iter().zip(&left).enumerate().filter(|(_, (count, _))| **count > 0);
        let narrowest = shares.map(|(n, (count, left))| (n, left / f64::from(*count))).min_by(|a, b| a.1.total_cmp(&b.1));
        let smallest = active.iter().filter_map(|n| Some((*n, flows.get(*n)?.demand?))).min_by(|a, b| a.1.total_cmp(&b.1));
        let (done, rate): (Vec<usize>, f64) = match (narrowest, smallest) {
            (Some((_, share)), Some((flow, demand))) if demand <= share => (vec![flow], demand),
            (None, Some((flow, demand))) => (vec![flow], demand),
            (Some((resource, share)), _) => {
                (active.iter().copied().filter(|n| flows.get(*n).is_some_and(|f| f.path.contains(&resource))).collect(), share)
            }
            // Nothing limits what is left.
            (None, None) => break,
        };
        for flow in done {
            if let Some(slot) = rates.get_mut(flow) {
                *slot = Some(rate).filter(|r| r.is_finite());
            }
            for resource in flows.get(flow).map(|f| f.path.as_slice()).unwrap_or_default() {
                if let Some(left) = left.get_mut(*resource) {
                    *left = (*left - rate).max(0.0);
                }
            }
            active.retain(|n| *n != flow);
        }
    }
    rates
}

/// Flows whose share depends on a capacity that nobody knows.
fn tainted(capacities: &[Option<f64>], flows: &[Flow]) -> Vec<bool> {
    let open = |r: &usize| capacities.get(*r).copied().flatten().is_none();
    flows.iter().map(|f| f.path.iter().any(open)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(capacities: &[f64], paths: &[(&[usize], Option<f64>)]) -> Vec<f64> {
        let capacities: Vec<Option<f64>> = capacities.iter().map(|c| Some(*c)).collect();
        let flows: Vec<Flow> = paths.iter().map(|(path, demand)| Flow { path: path.to_vec(), demand: *demand }).collect();
        fair(&capacities, &flows).into_iter().map(|r| r.unwrap()).collect()
    }

    #[test]
    fn the_narrowest_resource_is_shared_first() {
        // Two flows over a link of 10, one of them also over a link of 3.
        assert_eq!(rates(&[10.0, 3.0], &[(&[0], None), (&[0, 1], None)]), [7.0, 3.0]);
        assert_eq!(rates(&[10.0], &[(&[0], None), (&[0], None), (&[0], Some(2.0))]), [4.0, 4.0, 2.0]);
        assert_eq!(rates(&[9.0], &[(&[0], None), (&[0], None), (&[0], None)]), [3.0, 3.0, 3.0]);
    }

    #[test]
    fn two_switches_share_their_uplinks_but_not_their_inside() {
        // Capacities: four card links of 56 up and down, two uplinks of 56. Source: two pairs across, then inside.
        let across = rates(&[56.0; 6], &[(&[0, 4, 5, 2], None), (&[1, 4, 5, 3], None)]);
        assert_eq!(across, [28.0, 28.0]);
        assert_eq!(rates(&[56.0; 6], &[(&[0, 1], None), (&[2, 3], None)]), [56.0, 56.0]);
    }

    #[test]
    fn what_nobody_knows_stays_unknown() {
        let flows = [Flow { path: vec![0], demand: None }, Flow { path: vec![1], demand: None }];
        assert_eq!(fair(&[Some(5.0), None], &flows), [Some(5.0), None]);
        assert_eq!(fair(&[], &[Flow::default()]), [None]);
    }
}
