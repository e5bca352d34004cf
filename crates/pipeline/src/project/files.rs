//! The files that a project names.

use std::path::PathBuf;

use super::{Project, Risky};
use crate::derive::Expression;
use crate::settings::{Kind, SETTINGS, Value};

impl Project {
    /// Every file that a setting names, except those of these settings, such as `release.out`.
    #[must_use]
    pub fn files(&self, except: &[&str]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for setting in SETTINGS.iter().filter(|setting| setting.kind == Kind::Path) {
            let named = setting.get(self).filter(|_| !except.contains(&&*setting.key()));
            if let Some(Value::Text(path)) = named {
                files.push(path.into());
            }
        }
        if let Some(Risky::Records(records)) = &self.risk.risky {
            files.push(records.clone());
        }
        let groups = self.derive.values().flat_map(Expression::files);
        files.extend(groups.map(Into::into));
        files.extend(self.verify.published.0.iter().map(|table| table.file.clone()));
        files
    }
}
