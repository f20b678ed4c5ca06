//! Reading one analysis, against a handler that always gives the same answer of the same size.

use crate::client::get;
use crate::load::{CLIENTS, Rate, drive, observe};
use crate::metadata::{MetadataBench, Span};
use crate::payloads::{STUDY, scatter, study_request};
use crate::report::{self, Figure, Limit, plural};
use crate::server_process::ServerProcess;
use crate::{Outcome, seeding};

pub(super) fn measure(bench: &MetadataBench) -> Outcome<Vec<Figure>> {
    let folder = bench.new_folder()?;
    let server = ServerProcess::cantata(folder.path())?;
    server.connect()?.exchange(&study_request())?;
    let ids = seeding::fill(&server, bench.analyses, 1)?;
    let requests: Vec<Vec<u8>> = ids.iter().map(|id| get(&format!("/studies/{STUDY}/analysis/{id}"))).collect();
    let bytes = server.connect()?.exchange(&requests[0])?.len();
    let fixed = ServerProcess::fixed(bytes)?;
    let mut figures = Vec::new();
    for clients in CLIENTS {
        let name = format!("Read one analysis of {bytes} bytes, {clients} {}", plural(clients, "connection"));
        let mut rate = Figure::compared(name.clone(), "requests/s").required(Limit::AtLeast(0.6));
        let mut processor = Figure::compared(format!("{name}, processor time"), "µs each");
        for round in 1..=bench.rounds {
            let theirs = read(bench.span, &fixed, clients, &requests)?;
            let ours = read(bench.span, &server, clients, &requests)?;
            report::progress(&format!(
                "read, {clients} connection(s), round {round}: {:.0}/s, fixed answer {:.0}/s",
                ours.per_second, theirs.per_second
            ));
            rate.add_compared(ours.per_second, theirs.per_second);
            processor.add_compared(ours.processor, theirs.processor);
        }
        figures.extend([rate, processor]);
    }
    let mut memory = Figure::alone("Memory after reading".to_owned(), "MB");
    memory.add(server.memory()?);
    figures.push(memory);
    server.stop()?;
    Ok(figures)
}

/// Reads any of the analyses, again and again.
pub(super) fn read(span: Span, server: &ServerProcess, clients: usize, requests: &[Vec<u8>]) -> Outcome<Rate> {
    let any = |client: usize, sent: u64| {
        let number = scatter(((client as u64) << 40) | sent);
        Some(requests[(number % requests.len() as u64) as usize].as_slice())
    };
    drive(server.address, clients, span.warm_up, any)?;
    observe(server, || drive(server.address, clients, span.duration, any))
}
