//! The decoder: configuration, initialization, forward pass, loss and dropout.
