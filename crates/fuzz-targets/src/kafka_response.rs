//! Responses of a Kafka broker.

use cantata_kafka_client::fuzzing;

/// Reads a frame as the response to one of the requests, which the first byte chooses. A response that lacks its last byte
/// or has one more is none.
pub fn target(data: &[u8]) {
    let Some((request, frame)) = data.split_first() else { return };
    let request = usize::from(*request);
    if fuzzing::is_response(request, frame) {
        assert!(!fuzzing::is_response(request, &frame[..frame.len() - 1]));
        assert!(!fuzzing::is_response(request, &[frame, &[0]].concat()));
    }
}

/// Returns a response for each request, with nothing but zeros.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let zeros = |request: usize| {
        let frame = (0..64).map(|length| vec![0; length]).find(|frame| fuzzing::is_response(request, frame));
        [vec![request as u8], frame.expect("a response of zeros is one")].concat()
    };
    (0..fuzzing::REQUESTS).map(zeros).collect()
}
