//! A normalizer without a model: from a model's file, from named rules or from a user's own.

use tessella_core::error::excerpt;
use tessella_core::normalize::charsmap::Charsmap;
use tessella_core::spec::SentencePieceNormalizer;
use tessella_core::{Error, Result};

use super::sections::NormalizerSection;
use super::wire::Writer;
use super::{NORMALIZER, TRAINER, read_sections, rules};

/// A normalizer with the settings that it was made from.
#[derive(Debug, Clone)]
pub struct Normalizer {
    section: NormalizerSection,
    /// Of the model it came from; suffix mode is none of a normalizer's settings.
    trainer: Vec<u8>,
}

impl Normalizer {
    /// From a section whose rules may be named, in a file, or compiled.
    fn of(section: &NormalizerSection) -> Result<Self> {
        Ok(Normalizer { section: populated(section, true)?, trainer: Vec::new() })
    }

    /// From a serialized model. Only its normalizer section is looked at.
    pub fn from_model(model: &[u8]) -> Result<Self> {
        let sections = read_sections(model)?;
        Ok(Normalizer { section: sections.normalizer, trainer: sections.trainer.write() })
    }

    /// From a serialized normalizer section, whose rules may be named, in a file, or compiled.
    pub fn from_spec(spec: &[u8]) -> Result<Self> {
        Normalizer::of(&NormalizerSection::read(spec, 0)?)
    }

    /// The normalizer of a model's file.
    pub fn from_file(path: &str) -> Result<Self> {
        let section = NormalizerSection {
            normalization_rule_tsv: Some(path.to_string()),
            ..NormalizerSection::default()
        };
        Normalizer::of(&section)
    }

    /// A named set of rules.
    pub fn from_name(name: &str) -> Result<Self> {
        let section = NormalizerSection { name: Some(name.to_string()), ..NormalizerSection::default() };
        Normalizer::of(&section)
    }

    /// From pairs of a text and what it becomes.
    pub fn from_rules(pairs: Vec<(String, String)>) -> Result<Self> {
        let mut known = rules::Rules::new();
        for (source, target) in pairs {
            if let Some(before) = known.insert(source.clone(), target) {
                return Err(Error::value(format!(
                    "there are two normalization rules for `{}`, the first of them gives `{}`: leave one of them \
                     out",
                    excerpt(&source),
                    excerpt(&before)
                )));
            }
        }
        let charsmap = rules::compile(&known)?;
        let section = NormalizerSection {
            name: Some("user_defined".to_string()),
            precompiled_charsmap: Some(charsmap),
            ..NormalizerSection::default()
        };
        Ok(Normalizer { section, trainer: Vec::new() })
    }

    /// The section of a model that describes it.
    pub fn section(&self) -> &NormalizerSection {
        &self.section
    }

    /// A model of nothing but this normalizer.
    pub fn model(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        if !self.trainer.is_empty() {
            writer.bytes(TRAINER, &self.trainer);
        }
        writer.bytes(NORMALIZER, &self.section.write());
        writer.bytes
    }

    /// Changes one of its switches.
    pub fn set(&mut self, name: &str, value: bool) -> Result<()> {
        let switch = match name {
            "add_dummy_prefix" => &mut self.section.add_dummy_prefix,
            "remove_extra_whitespaces" => &mut self.section.remove_extra_whitespaces,
            "escape_whitespaces" => &mut self.section.escape_whitespaces,
            _ => return Err(Error::unsupported(format!("a normalizer has no switch `{name}`"))),
        };
        *switch = Some(value);
        Ok(())
    }

    /// What runs it.
    pub fn described(&self) -> SentencePieceNormalizer {
        self.section.described(false, Vec::new())
    }

    /// The rules, by source.
    pub fn rules(&self) -> Result<Vec<(String, String)>> {
        let charsmap = self.section.precompiled_charsmap();
        refuse_if!(charsmap.is_empty(), Unsupported, "the normalizer has no rules to show");
        Charsmap::parse(&charsmap)?.rules()
    }
}

/// A section with its character map, from a rule file or the rules' name; `nmt_nfkc` if neither is given and
/// there has to be one.
pub fn populated(section: &NormalizerSection, must_have_rules: bool) -> Result<NormalizerSection> {
    let mut section = section.clone();
    let file = section.normalization_rule_tsv();
    if !file.is_empty() {
        let text = std::fs::read_to_string(&file).map_err(|error| Error::from(error).at(file.clone()))?;
        let rules = rules::parse_rules(&text)?;
        refuse_if!(rules.is_empty(), Train, "the rule file {file} has no rules");
        section.precompiled_charsmap = Some(rules::compile(&rules)?);
        section.name = Some("user_defined".to_string());
    } else if must_have_rules {
        if section.name().is_empty() {
            section.name = Some("nmt_nfkc".to_string());
        }
        if section.precompiled_charsmap().is_empty() {
            section.precompiled_charsmap = Some(rules::named_charsmap(&section.name())?.to_vec());
        }
    }
    Ok(section)
}
