//! Foreign files become our types, one file a format.
