//! Large work is cut into parts that different threads compute side by side.
//!
//! A part is a range of *outputs*. No sum is ever cut, so the number of parts, and with it the number
//! of threads, cannot change a bit.

use super::Kernels;

/// Work that can be cut in two.
pub(crate) trait Shared: Sized + Send {
    /// Roughly how many multiply-adds it takes.
    fn work(&self) -> usize;

    /// Cuts off about `left / parts` of it as the first piece, or returns it whole if it is too small
    /// to be cut.
    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self>;
}

/// Runs a kernel, shared between the threads of the current pool if it is large.
pub(crate) fn share<K: Shared>(kernels: Kernels, kernel: K, run: fn(Kernels, K)) {
    let parts = kernels.parts(kernel.work());
    share_parts(kernels, kernel, parts, run);
}

fn share_parts<K: Shared>(kernels: Kernels, kernel: K, parts: usize, run: fn(Kernels, K)) {
    if parts < 2 {
        return run(kernels, kernel);
    }
    let left = parts / 2;
    match kernel.cut(left, parts) {
        Ok((first, second)) => {
            rayon::join(
                || share_parts(kernels, first, left, run),
                || share_parts(kernels, second, parts - left, run),
            );
        }
        Err(whole) => run(kernels, whole),
    }
}

/// Where to cut `len` elements that belong together in groups of `unit`: a multiple of `unit` near
/// `len * left / parts`, or `None` if there is only one group.
pub(crate) fn cut_at(len: usize, unit: usize, left: usize, parts: usize) -> Option<usize> {
    let groups = len.div_ceil(unit);
    if groups < 2 {
        return None;
    }
    let first = (groups * left / parts).clamp(1, groups - 1);
    Some(first * unit)
}

#[cfg(test)]
mod tests {
    use super::cut_at;

    #[test]
    fn both_pieces_have_something_and_the_first_is_whole_groups() {
        assert_eq!(cut_at(100, 6, 1, 2), Some(48));
        assert_eq!(cut_at(7, 6, 1, 2), Some(6));
        assert_eq!(cut_at(6, 6, 1, 2), None);
        assert_eq!(cut_at(2, 1, 1, 1000), Some(1));
        assert_eq!(cut_at(0, 16, 1, 2), None);
    }
}
