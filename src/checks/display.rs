use super::Check;

pub(super) const RULES: &[Check] = &[];
