//! What is scored: documents in their frames, and the windows over them.

use anyhow::{Context, bail, ensure};
use practical::corpus::{Document, InputContent, InputDocument, Partition};
use practical::evaluation::{
    Conditions, ContractError, DocumentIdentity, EvaluationContract, FramedDocument, Framing,
    StartToken, Subject, WindowRule,
};
use practical::tokenizer::Tokenizer;
use serde::Serialize;

use super::EvaluateArgs;
use crate::documents::{SplitDocuments, start_token};
use crate::model::OpenModel;
use crate::output::WrongUsage;

/// Documents and the rules for them.
pub(super) struct Material {
    pub(super) split: Partition,
    pub(super) framed: Vec<FramedDocument>,
    /// In the same order.
    pub(super) identities: Vec<DocumentIdentity>,
    /// The texts in the same order, if baselines are wanted; none if the documents came as ids.
    pub(super) texts: Vec<Vec<u8>>,
    pub(super) framing: Framing,
    pub(super) rule: WindowRule,
    /// `None` if the documents came as ids.
    pub(super) tokenizer: Option<Tokenizer>,
    pub(super) left_out: usize,
    pub(super) not_utf8: Vec<NotUtf8>,
}

/// A text that is scored as bytes like any other, and perhaps was not meant to be.
#[derive(Clone, Debug, Serialize)]
pub(super) struct NotUtf8 {
    /// Id of the document.
    pub(super) document: String,
    /// Offset of the first byte that belongs to no character.
    pub(super) offset: usize,
}

impl Material {
    pub(super) fn prepare(
        args: &EvaluateArgs,
        model: &OpenModel,
        chosen: SplitDocuments,
    ) -> anyhow::Result<Self> {
        let SplitDocuments { split, mut documents, left_out } = chosen;
        documents.sort_by(|a, b| a.id.cmp(&b.id)); // the order of records and of the contract
        let rule = window_rule(args, model)?;
        let has_ids = |document: &InputDocument| matches!(document.content, InputContent::Ids(_));
        let ids = documents.iter().filter(|document| has_ids(document)).count();
        ensure!(
            ids == 0 || ids == documents.len(),
            "{ids} of {} documents came as ids: score ids and texts apart",
            documents.len()
        );
        let (tokenizer, framing) = if ids > 0 {
            if args.start_token.is_some() || args.bos_per_window || args.no_eos {
                let problem = "ids are scored as they are given: --start-token, --bos-per-window and \
                               --no-eos are for texts";
                return Err(WrongUsage::new(problem).into());
            }
            (None, Framing { start_token: StartToken::None, end_token: false })
        } else {
            let tokenizer = model.text_tokenizer()?.clone();
            let start_token = start_token(args.start_token, &tokenizer);
            let end_token = !args.no_eos && tokenizer.end_token().is_some();
            (Some(tokenizer), Framing { start_token, end_token })
        };
        let mut material = Self {
            split,
            framed: Vec::with_capacity(documents.len()),
            identities: Vec::with_capacity(documents.len()),
            texts: Vec::new(),
            framing,
            rule,
            tokenizer,
            left_out,
            not_utf8: Vec::new(),
        };
        let input = args.input.input.display();
        for document in documents {
            material.add(document, args.baselines).with_context(|| input.to_string())?;
        }
        Ok(material)
    }

    /// The rules, as the contract of a number has them.
    pub(super) fn contract(&self, model: &OpenModel) -> Result<EvaluationContract, ContractError> {
        let subject = Subject::new(model, self.tokenizer.as_ref(), model.dtype());
        let documents = self.identities.clone();
        let conditions = Conditions::of_identities(self.split, documents, self.framing, self.rule);
        EvaluationContract::new(subject, conditions)
    }

    fn add(&mut self, document: InputDocument, keep_text: bool) -> anyhow::Result<()> {
        let InputDocument { id, content, domain, .. } = document;
        let mut identity = match content {
            InputContent::Ids(ids) => {
                let identity = DocumentIdentity::of_ids(&id, &ids);
                self.framed.push(FramedDocument::from_ids(id, ids, None)?);
                identity
            }
            InputContent::Text(text) => {
                let Some(tokenizer) = &self.tokenizer else { bail!("text among ids") };
                if let Err(error) = str::from_utf8(&text) {
                    let offset = error.valid_up_to();
                    self.not_utf8.push(NotUtf8 { document: id.clone(), offset });
                }
                let document = Document::new(id, self.split, text);
                self.framed.push(FramedDocument::encode(&document, tokenizer, self.framing)?);
                let identity = DocumentIdentity::new(&document);
                if keep_text {
                    self.texts.push(document.text);
                }
                identity
            }
        };
        identity.domain = domain;
        self.identities.push(identity);
        Ok(())
    }
}

/// Windows of N inputs are windows of N + 1 ids, since the last id is only predicted.
fn window_rule(args: &EvaluateArgs, model: &OpenModel) -> Result<WindowRule, WrongUsage> {
    let context = model.config().context_len;
    let inputs = args.window.map_or(context, usize::from);
    if inputs > context {
        let problem = format!("--window {inputs}: the model's context holds {context} inputs");
        return Err(WrongUsage::new(problem));
    }
    let stride = args.stride.map_or(inputs.div_ceil(2), usize::from);
    if stride > inputs {
        let problem = format!(
            "--stride {stride}: expected 1 to {inputs}, the window, so that every target has an \
             input before it"
        );
        return Err(WrongUsage::new(problem));
    }
    Ok(WindowRule { window: inputs + 1, stride, bos_per_window: args.bos_per_window })
}
