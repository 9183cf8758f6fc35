use super::*;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Run {
    seed: u64,
    losses: Vec<Option<f64>>,
    ending: Ending,
}

#[derive(Serialize)]
enum Ending {
    Stopped,
    Finished(f32),
    Compared { before: f64, after: (f64, f64) },
}

fn run(ending: Ending) -> Run {
    Run { seed: 39, losses: vec![Some(5.5), None, Some(4.25)], ending }
}

#[track_caller]
fn assert_refused(report: &impl Serialize, place_and_number: &str) {
    let refusal = find_non_finite(report).expect_err("the report has a number that is not finite");
    assert_eq!(refusal.to_string(), format!("{place_and_number}, which JSON has no way to write"));
}

#[test]
fn a_report_of_finite_numbers_passes() {
    let endings = [
        Ending::Stopped,
        Ending::Finished(1.0),
        Ending::Compared { before: f64::MAX, after: (f64::MIN_POSITIVE, -0.0) },
    ];
    for ending in endings {
        find_non_finite(&run(ending)).unwrap();
    }
    find_non_finite(&("text", 'c', true, u64::MAX, i8::MIN, ())).unwrap();
}

#[test]
fn the_number_is_found_wherever_it_is() {
    let mut report = run(Ending::Stopped);
    report.losses[2] = Some(f64::INFINITY);
    assert_refused(&report, "`losses[2]` is inf");
    assert_refused(&[run(Ending::Finished(f32::NAN))], "`[0].ending.Finished` is NaN");

    let after = (0.0, f64::NEG_INFINITY);
    assert_refused(&run(Ending::Compared { before: 0.0, after }), "`ending.after[1]` is -inf");

    let by_layout = BTreeMap::from([("packed", [1.0, 2.0]), ("padded", [3.0, f64::NAN])]);
    assert_refused(&by_layout, "`padded[1]` is NaN");
    assert_refused(&BTreeMap::from([(16, BTreeMap::from([('a', f64::NAN)]))]), "`16.a` is NaN");
    assert_refused(&f64::NAN, "the result is NaN");
}

#[test]
fn places_already_left_are_not_in_the_path() {
    let runs = [run(Ending::Compared { before: 1.0, after: (1.0, 1.0) }), {
        let mut second = run(Ending::Stopped);
        second.losses[0] = Some(f64::NAN);
        second
    }];
    assert_refused(&BTreeMap::from([("runs", runs)]), "`runs[1].losses[0]` is NaN");
}

#[test]
fn an_error_of_the_report_itself_is_passed_on() {
    struct Broken;
    impl Serialize for Broken {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(ser::Error::custom("no such table"))
        }
    }
    assert_eq!(find_non_finite(&[Broken]).unwrap_err().to_string(), "no such table");
}
