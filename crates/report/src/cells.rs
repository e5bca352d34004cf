//! A job of which cells alone are known here: an engine counted them, before and after.

use serde::Serialize;

use crate::answer::{Answer, counted};
use crate::plan::ProtectReport;

/// What a whole job did in an engine.
#[derive(Debug, Clone, Serialize)]
pub struct CellsReport {
    /// The answer of `protect`, counted from cells.
    #[serde(flatten)]
    pub protect: ProtectReport,
    /// In how many cells the original records fall.
    pub cells: u64,
    /// What cells do not show.
    pub not_known: Vec<&'static str>,
}

impl Answer for CellsReport {
    fn text(&self) -> String {
        let mut text = self.protect.text();
        text.push_str(&format!(
            "Counted    {} in {} by the engine, before and after\n",
            counted(self.protect.plan.records, "record", "records"),
            counted(self.cells, "cell", "cells"),
        ));
        if !self.not_known.is_empty() {
            text.push_str(&format!(
                "Not known  {}: `verify` of the written file tells, where it fits in memory\n",
                self.not_known.join("; ")
            ));
        }
        text
    }
}
