use super::*;
use crate::container::Container;

fn archive() -> Vec<u8> {
    let weight = TensorData::new("w", vec![2], vec![1.0_f32, -2.0]);
    Container::new("example", &serde_json::json!({}), vec![weight]).expect("good").to_bytes()
}

/// Reads `bytes` as if the file had been `len` bytes long when it was opened.
fn read(bytes: &[u8], len: usize) -> Result<(), ArchiveError> {
    let mut source = Source { reader: bytes, len: len as u64, path: "file".into() };
    let header = source.read_header(None)?;
    source.read_tensors(&header).map(|_| ())
}

#[test]
fn a_file_that_shrinks_or_grows_while_it_is_read_is_refused() {
    let whole = archive();
    read(&whole, whole.len()).expect("unchanged");

    let mut grown = whole.clone();
    grown.push(0);
    assert!(matches!(read(&grown, whole.len()), Err(ArchiveError::WrongSize { .. })));

    for len in 0..whole.len() {
        let Err(ArchiveError::Io { path, source, .. }) = read(&whole[..len], whole.len()) else {
            panic!("{len} of {} bytes are not enough", whole.len());
        };
        assert_eq!(path, Path::new("file"));
        assert_eq!(source.kind(), io::ErrorKind::UnexpectedEof);
    }
}

/// A reader that gives one byte at a time and is interrupted before each.
struct Trickle<'a> {
    rest: &'a [u8],
    interrupted: bool,
}

impl Read for Trickle<'_> {
    fn read(&mut self, place: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = place.len().min(1);
        self.rest.read(&mut place[..count])
    }
}

#[test]
fn small_reads_and_interruptions_do_not_matter() {
    let bytes = archive();
    let reader = Trickle { rest: &bytes, interrupted: false };
    let mut source = Source { reader, len: bytes.len() as u64, path: "file".into() };
    let header = source.read_header(Some("example")).expect("good");
    let tensors = source.read_tensors(&header).expect("good");
    assert_eq!(tensors[0].values, vec![1.0_f32, -2.0].into());
}

/// Checks `bytes` without keeping them, and counts those of the data.
fn verify(bytes: &[u8]) -> Result<u64, ArchiveError> {
    let mut source = Source::from_bytes(bytes);
    let header = source.read_header(None)?;
    let mut checked = 0;
    source.verify(&header, &mut |len| checked += len)?;
    Ok(checked)
}

#[test]
fn checking_refuses_what_reading_refuses() {
    let whole = archive();
    assert_eq!(verify(&whole).expect("unchanged"), 8);
    for position in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[position] ^= 1;
        let read = read(&damaged, whole.len()).expect_err("damaged").to_string();
        assert_eq!(verify(&damaged).expect_err("damaged").to_string(), read, "byte {position}");
    }
}

#[test]
fn data_of_several_pieces_is_checked_to_its_last_byte() {
    let count = 3 * PIECE_BYTES + 1;
    let codes = TensorData::new("codes", vec![count], vec![0_u8; count]);
    let container = Container::new("example", &serde_json::json!({}), vec![codes]);
    let mut bytes = container.expect("good").to_bytes();
    assert_eq!(verify(&bytes).expect("unchanged"), count as u64);
    *bytes.last_mut().expect("data") = 1;
    assert!(matches!(verify(&bytes), Err(ArchiveError::DigestMismatch { .. })));
}

#[test]
fn digits_are_lower_case_and_padded() {
    assert_eq!(hex(&[0x00, 0x0a, 0xff]), "000aff");
}
