//! NCCL's tuning model, held to numbers worked by hand from its formulas and constants: which
//! combination it takes for a message, and the time it expects.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::collective::nccl::Algorithm::{self, Nvls, Ring, Tree};
use decodescope::collective::nccl::Protocol::{self, Ll, Ll128, Simple};
use decodescope::collective::nccl::{Generation, Graph, Node};
use decodescope::units::Bytes;

const DECODE: Bytes = Bytes::new(12_288.0);
const BATCH_64: Bytes = Bytes::new(786_432.0);

fn pcie(gpus: u32, channels: u32, giga: f64) -> Node {
    Node::pcie(gpus, Generation::Blackwell, Graph::new(channels, giga))
}

fn h100() -> Node {
    let nvls = Graph { inter: decodescope::units::BytesPerSecond::from_giga(60.0), ..Graph::new(8, 40.0) };
    Node::nvlink(8, Generation::Hopper, Graph::new(12, 30.0), Some(nvls))
}

#[track_caller]
fn takes(node: Node, message: Bytes, algorithm: Algorithm, protocol: Protocol, micros: f64) {
    let choice = node.choose(message).unwrap();
    assert_eq!((choice.algorithm, choice.protocol), (algorithm, protocol), "{choice:?}");
    assert!((choice.time.as_micros() - micros).abs() < 0.06, "{choice:?}");
}

#[test]
fn latencies_of_eight_gpus() {
    let (pcie, nvlink) = (pcie(8, 2, 10.0), h100());
    for (node, algorithm, protocol, micros) in [
        (pcie, Ring, Ll, 20.6),
        (pcie, Ring, Ll128, 49.0),
        (pcie, Ring, Simple, 88.2),
        (pcie, Tree, Ll, 20.8),
        (pcie, Tree, Ll128, 40.6),
        (pcie, Tree, Simple, 64.4),
        (nvlink, Ring, Ll, 15.0),
        (nvlink, Ring, Ll128, 40.6),
        (nvlink, Ring, Simple, 56.0),
        (nvlink, Tree, Ll, 15.2),
        (nvlink, Tree, Ll128, 31.5),
        (nvlink, Tree, Simple, 64.4),
        (nvlink, Nvls, Simple, 25.0),
    ] {
        let latency = node.latency(algorithm, protocol).unwrap();
        assert!((latency.as_micros() - micros).abs() < 1e-9, "{algorithm} {protocol} {latency:?}");
    }
}

#[test]
fn a_token_takes_the_low_latency_ring_over_pcie() {
    takes(pcie(8, 2, 10.0), DECODE, Ring, Ll, 22.8);
    takes(pcie(8, 2, 12.0), DECODE, Ring, Ll, 22.4);
    takes(pcie(8, 2, 24.0), DECODE, Ring, Ll, 21.5);
    takes(pcie(8, 1, 5.0), DECODE, Ring, Ll, 29.2);
    takes(pcie(8, 2, 15.0), DECODE, Ring, Ll, 22.0);
    takes(pcie(4, 2, 10.0), DECODE, Ring, Ll, 14.4);
    takes(pcie(2, 2, 10.0), DECODE, Ring, Ll, 9.8);
}

#[test]
fn a_batch_of_sixty_four_is_bound_by_bandwidth() {
    takes(pcie(8, 2, 10.0), BATCH_64, Ring, Simple, 157.0);
    takes(pcie(8, 2, 12.0), BATCH_64, Ring, Ll, 135.3);
    takes(pcie(8, 2, 24.0), BATCH_64, Ring, Ll, 77.9);
    takes(pcie(8, 1, 5.0), BATCH_64, Ring, Simple, 363.5);
    takes(pcie(8, 2, 15.0), BATCH_64, Ring, Ll, 112.4);
    takes(pcie(4, 2, 10.0), BATCH_64, Ring, Simple, 101.6);
    takes(pcie(2, 2, 10.0), BATCH_64, Ring, Simple, 59.1);
}

#[test]
fn the_roads_not_taken_over_pcie() {
    let node = pcie(8, 2, 10.0);
    let expects = |algorithm, protocol| node.time(algorithm, protocol, DECODE).unwrap().as_micros();
    assert!((expects(Tree, Ll) - 28.1).abs() < 0.06);
    assert!((expects(Tree, Simple) - 66.1).abs() < 0.06);
    assert!((expects(Ring, Simple) - 89.3).abs() < 0.06);
    assert_eq!(node.time(Nvls, Simple, DECODE), None);
}

#[test]
fn a_failed_search_takes_the_slow_protocol() {
    let node = Node::search_failed(8, Generation::Blackwell);
    takes(node, DECODE, Ring, Simple, 303.2);
    assert!((node.time(Ring, Ll, DECODE).unwrap().as_micros() - 450.7).abs() < 0.06);
    takes(node, BATCH_64, Ring, Simple, 13_850.8);
}

#[test]
fn over_pcie_ll128_is_taken_only_when_forced() {
    let forced = Node { force_ll128: true, ..pcie(8, 2, 12.0) };
    takes(forced, DECODE, Ring, Ll, 22.4);
    takes(forced, BATCH_64, Ring, Ll128, 111.3);
}

#[test]
fn nvlink_takes_rings_until_the_switch_is_faster() {
    takes(h100(), DECODE, Ring, Ll, 15.2);
    takes(h100(), BATCH_64, Ring, Ll, 24.8);
    takes(h100(), Bytes::new(3.0 * 1_048_576.0), Nvls, Simple, 36.6);
    takes(h100(), Bytes::new(16.0 * 1_048_576.0), Nvls, Simple, 86.7);
    takes(Node { nvls: None, ..h100() }, Bytes::new(16.0 * 1_048_576.0), Ring, Ll128, 129.2);
    let a100 = Node::nvlink(8, Generation::Ampere, Graph::new(12, 20.0), None);
    takes(a100, DECODE, Ring, Ll, 15.2);
    takes(a100, BATCH_64, Ring, Ll, 30.7);
    let b200 = Node::nvlink(8, Generation::Blackwell, Graph::new(8, 90.0), None);
    takes(b200, DECODE, Ring, Ll, 15.1);
    takes(b200, BATCH_64, Ring, Ll, 19.9);
}

#[test]
fn the_flip_to_simple_needs_almost_no_bandwidth() {
    // At 12 KiB LL loses only below about 0.32 GB/s in all.
    takes(pcie(8, 1, 0.33), DECODE, Ring, Ll, 20.6 + 12.288 / (0.5 * 0.33 * 8.0 / 14.0));
    let below = pcie(8, 1, 0.31).choose(DECODE).unwrap();
    assert_eq!(below.protocol, Simple);
}

#[test]
fn one_gpu_and_senseless_graphs_have_no_choice() {
    assert_eq!(pcie(1, 2, 10.0).choose(DECODE), None);
    assert_eq!(pcie(0, 2, 10.0).choose(DECODE), None);
    assert_eq!(pcie(8, 0, 10.0).choose(DECODE), None);
    assert_eq!(pcie(8, 2, f64::NAN).choose(DECODE), None);
}
