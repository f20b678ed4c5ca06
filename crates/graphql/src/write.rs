//! The answer as JSON, written straight from what the engine answered: no tree of values is built in between.
//!
//! A page of records takes no allocation per record beyond the growth of the buffer. What cannot be shown as its type
//! says is null and an error beside the data; it never fails the page.

mod buckets;
mod collect;
mod connection;
mod facet;
mod numbers;
mod scalar;
mod text;

use apollo_compiler::Name;
use cantata_engine::{Answer, EngineError, Place};
use serde::Serialize;

pub(crate) use collect::{object_at, values_at};

use crate::command::CommandOutcome;
use crate::error::{Code, Error, PathStep};
use crate::output::{Index, JsonSelection, Member, Output};
use crate::plan::Planned;

/// How many errors stand beside the data at most.
const MAX_ERRORS: usize = 100;

/// How many bytes an answer is expected to take at least.
const LEAST_CAPACITY: usize = 8192;

/// The answer where nothing was asked.
static NO_ANSWER: Answer = Answer { hits: Vec::new(), facets: Vec::new() };

/// What came of a plan.
#[derive(Debug, Default)]
pub struct Answers {
    /// Of [`Planned::records`].
    pub records: Option<Result<Answer, EngineError>>,
    /// Of [`Planned::sets`].
    pub sets: Option<Result<Answer, EngineError>>,
    /// Of [`Planned::commands`], in order.
    pub commands: Vec<CommandOutcome>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The JSON body.
    pub body: Vec<u8>,
    /// The dotted paths of fields that have lists in the documents, but are not marked `isArray`, so that only their
    /// first values are shown; worth a word in the log.
    pub cut_fields: Vec<String>,
}

impl Planned {
    /// Writes the body of the answer, whose status is 200.
    pub fn write(&self, answers: &Answers) -> Written {
        let mut writer = Writer {
            out: Vec::with_capacity(LEAST_CAPACITY),
            planned: self,
            answers,
            errors: self.errors.clone(),
            slots: Vec::new(),
            path: Vec::new(),
            member: None,
            prefix: &[],
            cut_fields: Vec::new(),
            limit: self.max_bytes,
        };
        writer.out.extend_from_slice(b"{\"data\":");
        writer.object(&self.output, Writer::output);
        if writer.is_full() {
            writer.give_up();
        }
        if !writer.errors.is_empty() {
            writer.out.extend_from_slice(b",\"errors\":");
            let errors = std::mem::take(&mut writer.errors);
            writer.json(&errors);
        }
        writer.out.extend_from_slice(b"}\n");
        let cut_fields = writer.cut_fields.into_iter().map(str::to_owned).collect();
        Written { body: writer.out, cut_fields }
    }
}

/// A step from the data to where the writer is.
#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Key(&'a Name),
    Place(usize),
}

struct Writer<'a> {
    out: Vec<u8>,
    planned: &'a Planned,
    answers: &'a Answers,
    errors: Vec<Error>,
    /// The members of the objects at hand that are wanted, those of the innermost last.
    slots: Vec<Option<Place<'a>>>,
    /// The way to the object or list at hand.
    path: Vec<Step<'a>>,
    /// The member of the object at hand that is being written.
    member: Option<&'a Name>,
    /// The path of the object that holds everything in the documents at hand.
    prefix: &'a [String],
    /// The paths of fields of which only the first value was shown, though there were more.
    cut_fields: Vec<&'a str>,
    /// How many bytes the answer may have.
    limit: usize,
}

impl<'a> Writer<'a> {
    /// Writes an object.
    fn object<T>(&mut self, members: &'a [Member<T>], mut value: impl FnMut(&mut Self, &'a T)) {
        if self.is_full() {
            return;
        }
        let depth = self.enter_member();
        self.out.push(b'{');
        for (place, member) in members.iter().enumerate() {
            self.out.extend_from_slice(if place == 0 { &member.key[1..] } else { &member.key });
            self.member = Some(&member.name);
            value(self, &member.value);
        }
        self.out.push(b'}');
        self.path.truncate(depth);
    }

    /// Says whether the answer is too large; then nothing more is written, and what was is thrown away.
    fn is_full(&self) -> bool {
        self.out.len() > self.limit
    }

    fn give_up(&mut self) {
        self.out.truncate(b"{\"data\":".len());
        self.null();
        let limit = self.limit;
        let message =
            format!("The answer would have more than {limit} bytes; ask for fewer records, fields or buckets");
        self.errors = vec![Error::new(Code::BadUserInput, message)];
    }

    /// Goes into the value of the member at hand, and returns what the path is to be cut to afterwards.
    fn enter_member(&mut self) -> usize {
        let depth = self.path.len();
        self.path.extend(self.member.take().map(Step::Key));
        depth
    }

    fn output(&mut self, output: &'a Output) {
        match output {
            Output::Ready(bytes) => self.out.extend_from_slice(bytes),
            Output::Object(members) => self.object(members, Self::output),
            Output::Hits(hits) => match self.enter(hits.index) {
                Ok(answer) => match answer.hits.get(hits.place) {
                    Some(page) => self.page(hits, page),
                    None => self.fail_engine(&hits.path, &incomplete()),
                },
                Err(error) => self.fail_engine(&hits.path, &error),
            },
            Output::Facets { index, members, path } => match self.enter(*index) {
                Ok(_) => self.object(members, Self::facet),
                Err(error) => self.fail_engine(path, &error),
            },
            Output::Command { place, selection, path } => self.command(*place, selection, path),
        }
    }

    /// Turns to the answer of an index.
    fn enter(&mut self, index: Index) -> Result<&'a Answer, EngineError> {
        self.prefix = match index {
            Index::Records => &self.planned.prefix,
            Index::Sets => &[],
        };
        self.answer(index)
    }

    fn answer(&self, index: Index) -> Result<&'a Answer, EngineError> {
        let answer = match index {
            Index::Records => &self.answers.records,
            Index::Sets => &self.answers.sets,
        };
        match answer {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => Err(error.clone()),
            // Nothing was asked of the index, or what was asked will be found to be missing.
            None => Ok(&NO_ANSWER),
        }
    }

    fn command(&mut self, place: usize, selection: &[JsonSelection], path: &[PathStep]) {
        match self.answers.commands.get(place) {
            Some(CommandOutcome::Set(set)) => self.json(&JsonSelection::pick(selection, set)),
            Some(CommandOutcome::Deleted(deleted)) => self.json(deleted),
            Some(CommandOutcome::Failed { code, message }) => self.fail(path.to_vec(), *code, message.clone()),
            None => self.fail_engine(path, &incomplete()),
        }
    }

    fn json(&mut self, value: &impl Serialize) {
        // Writing to memory fails for nothing that is written here.
        serde_json::to_writer(&mut self.out, value).ok();
    }

    fn null(&mut self) {
        self.out.extend_from_slice(b"null");
    }

    fn fail_engine(&mut self, path: &[PathStep], error: &EngineError) {
        self.fail(path.to_vec(), Code::of(error), error.client_message());
    }

    /// Writes null for something that cannot be shown, and notes why.
    fn fail(&mut self, path: Vec<PathStep>, code: Code, message: String) {
        self.null();
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(Error::new(code, message).of_field(path));
        }
    }

    /// Writes null for the value at hand, and notes why.
    fn fail_here(&mut self, message: impl FnOnce() -> String) {
        if self.errors.len() >= MAX_ERRORS {
            return self.null();
        }
        let path = self.path.iter().copied().chain(self.member.map(Step::Key)).map(|step| match step {
            Step::Key(name) => PathStep::Key(name.to_string()),
            Step::Place(place) => PathStep::Place(place),
        });
        let path = path.collect();
        self.fail(path, Code::InternalServerError, message());
    }
}

fn incomplete() -> EngineError {
    EngineError::Failed("the answer is incomplete".to_owned())
}
