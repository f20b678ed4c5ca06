//! The body of a request, which may be compressed.
//!
//! Compressed or not, no more is kept in memory than a limit that its reader sets: what comes out of the decompressor is
//! looked at after every few bytes that went in.

use std::io::Write;

use axum::body::{Body, BodyDataStream};
use axum::extract::Request;
use bytes::Bytes;
use cantata_core::json::parse_json;
use flate2::write::MultiGzDecoder;
use futures_util::StreamExt;
use http::{HeaderMap, header};
use serde_json::{Map, Value};

use super::EsResult;
use super::error::EsError;
use crate::extract::{BodyShare, MAX_DISCARDED_BYTES, discard, take_body, too_large, unreadable};

/// How many compressed bytes are decompressed at a time; they may become a thousand times as many.
const DECODE_CHUNK_BYTES: usize = 4 * 1024;

/// A body that is decompressed as it comes.
pub(super) struct DecodedBody {
    stream: BodyDataStream,
    decoder: Option<MultiGzDecoder<Vec<u8>>>,
    /// What was received and is not decompressed yet.
    compressed: Bytes,
    left: usize,
    limit: usize,
}

impl DecodedBody {
    /// Takes a body of at most `limit` bytes, as they are after decompression.
    ///
    /// # Errors
    ///
    /// If its declared length is larger.
    pub(super) async fn new(request: Request, limit: usize) -> EsResult<Self> {
        let decoder = is_gzip(request.headers()).then(|| MultiGzDecoder::new(Vec::new()));
        let (body, _) = take_body(request, limit).await?;
        Ok(Self { stream: body.into_data_stream(), decoder, compressed: Bytes::new(), left: limit, limit })
    }

    /// Returns the next piece; nothing after the last one.
    pub(super) async fn next(&mut self) -> EsResult<Option<Bytes>> {
        loop {
            let piece = if self.compressed.is_empty() {
                match self.stream.next().await {
                    Some(Ok(piece)) if self.decoder.is_some() => {
                        self.compressed = piece;
                        continue;
                    }
                    Some(Ok(piece)) => piece,
                    Some(Err(error)) => return Err(unreadable(&error).into()),
                    None => match self.decoder.take() {
                        Some(decoder) => decoder.finish().map_err(|error| not_gzip(&error))?.into(),
                        None => return Ok(None),
                    },
                }
            } else {
                let some = self.compressed.split_to(DECODE_CHUNK_BYTES.min(self.compressed.len()));
                let Some(decoder) = &mut self.decoder else { continue };
                decoder.write_all(&some).map_err(|error| not_gzip(&error))?;
                std::mem::take(decoder.get_mut()).into()
            };
            self.left = self.left.checked_sub(piece.len()).ok_or_else(|| too_large(self.limit))?;
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
        }
    }

    /// Reads the rest of a rejected body and drops it.
    pub(super) async fn discard(self) {
        discard(Body::from_stream(self.stream), MAX_DISCARDED_BYTES).await;
    }
}

fn not_gzip(error: &std::io::Error) -> EsError {
    EsError::unreadable(format!("the body is not whole gzip, as its Content-Encoding says: {error}"))
}

fn is_gzip(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding.as_bytes().eq_ignore_ascii_case(b"gzip"))
}

/// Reads a whole body of at most `limit` bytes.
pub(super) async fn read(request: Request, limit: usize) -> EsResult<Vec<u8>> {
    let mut share = BodyShare::of(&request);
    let mut body = DecodedBody::new(request, limit).await?;
    let mut whole = Vec::new();
    loop {
        let failed: EsError = match body.next().await {
            Ok(Some(piece)) => match share.grow_to(whole.len() + piece.len()).await {
                Ok(()) => {
                    whole.extend_from_slice(&piece);
                    continue;
                }
                Err(no_memory) => no_memory.into(),
            },
            Ok(None) => return Ok(whole),
            Err(error) => error,
        };
        body.discard().await;
        return Err(failed);
    }
}

/// Reads a body that is a JSON object; without a body, an empty one.
pub(super) async fn read_object(request: Request, limit: usize) -> EsResult<Map<String, Value>> {
    let body = read(request, limit).await?;
    if body.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    match parse_json(&body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(EsError::unreadable("the body: found another value, expected an object")),
        Err(error) => Err(EsError::unreadable(format!("the body is not JSON: {error}"))),
    }
}
