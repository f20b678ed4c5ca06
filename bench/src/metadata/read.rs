//! Reading one analysis, against a handler that always gives the same answer of the same size.

use crate::client::get;
use crate::load::{CLIENTS, Rate, drive, observe};
use crate::metadata::start_with_study;
use crate::part_bench::PartBench;
use crate::payloads::{STUDY, scatter};
use crate::report::{self, Figure, Limit, plural};
use crate::server_process::ServerProcess;
use crate::{Outcome, seeding};

pub(super) fn measure(bench: &PartBench) -> Outcome<Vec<Figure>> {
    let (_folder, server) = start_with_study(bench)?;
    let ids = seeding::fill(&server, bench.size.analyses, 1)?;
    let requests: Vec<Vec<u8>> = ids.iter().map(|id| get(&format!("/studies/{STUDY}/analysis/{id}"))).collect();
    let bytes = server.connect()?.exchange(&requests[0])?.len();
    let fixed = ServerProcess::fixed(bytes)?;
    let mut figures = Vec::new();
    for clients in CLIENTS {
        let name = format!("Read one analysis of {bytes} bytes, {clients} {}", plural(clients, "connection"));
        let mut rate = Figure::compared(&name, "requests/s").required(Limit::AtLeast(0.6));
        let mut processor = Figure::compared(format!("{name}, processor time"), "µs each");
        for round in 1..=bench.size.rounds {
            let theirs = read(bench, 1, &fixed, clients, &requests)?;
            let ours = read(bench, 1, &server, clients, &requests)?;
            report::progress(&format!(
                "read, {clients} connection(s), round {round}: {:.0}/s, fixed answer {:.0}/s",
                ours.per_second, theirs.per_second
            ));
            rate.add_compared(ours.per_second, theirs.per_second);
            processor.add_compared(ours.processor, theirs.processor);
        }
        figures.extend([rate, processor]);
    }
    figures.push(Figure::alone("Memory after reading", "MB").with(server.memory()?));
    server.stop()?;
    Ok(figures)
}

/// Reads any of the analyses, again and again, for a fraction of the usual time.
pub(super) fn read(
    bench: &PartBench,
    fraction: u32,
    server: &ServerProcess,
    clients: usize,
    requests: &[Vec<u8>],
) -> Outcome<Rate> {
    let any = |client: usize, sent: u64| {
        let number = scatter(((client as u64) << 40) | sent);
        Some(requests[(number % requests.len() as u64) as usize].as_slice())
    };
    drive(server.address, clients, bench.size.warm_up / fraction, any)?;
    observe(server, || drive(server.address, clients, bench.size.duration / fraction, any))
}
