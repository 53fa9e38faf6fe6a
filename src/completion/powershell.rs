//! PowerShell completion. PowerShell inserts replies verbatim, and would run code in them.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::env::{EnvCompleter, Powershell as Builtin};

use super::variables::INDEX;

/// A registration script that runs nothing of the typed words, and quotes replies.
pub struct PowerShell;

// PowerShell takes typographic quotes for quotes, so its own function escapes them. Some versions drop an empty last
// argument, so the script passes its index.
const SCRIPT: &str = r#"Register-ArgumentCompleter -Native -CommandName PROGRAM -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @()
    foreach ($element in $commandAst.CommandElements) {
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $words += $element.Value
        } else {
            $words += $element.Extent.Text
        }
    }
    $words += "$wordToComplete"

    $before = $env:VARIABLE
    $encoding = [Console]::OutputEncoding
    try {
        $env:VARIABLE = 'powershell'
        $env:INDEX = $words.Count - 1
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        $results = & COMPLETER -- @words 2> $null
    } finally {
        [Console]::OutputEncoding = $encoding
        $env:VARIABLE = $before
        $env:INDEX = $null
    }
    foreach ($result in $results) {
        $value, $help = $result.Split("`t", 2)
        if (-not $value) { continue }
        if (-not $help) { $help = $value }
        $text = $value
        if ($value -cnotmatch '^[A-Za-z0-9_./:=+\\-]+$') {
            $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
        }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $help)
    }
}"#;

impl EnvCompleter for PowerShell {
    fn name(&self) -> &'static str {
        "powershell"
    }

    fn is(&self, name: &str) -> bool {
        Builtin.is(name)
    }

    fn write_registration(
        &self,
        variable: &str,
        _name: &str,
        program: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let script = SCRIPT
            .replace("VARIABLE", variable)
            .replace("INDEX", INDEX)
            .replace("PROGRAM", &quoted(program))
            .replace("COMPLETER", &quoted(completer));
        writeln!(out, "{script}")
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        Builtin.write_complete(command, words, folder, out)
    }
}

/// Quotes a text of the script. PowerShell reads each of these characters as a single quote.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("'");
    for c in text.chars() {
        if matches!(c, '\'' | '\u{2018}'..='\u{201b}') {
            quoted.push(c);
        }
        quoted.push(c);
    }
    quoted + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(completer: &str) -> String {
        let mut out = Vec::new();
        PowerShell
            .write_registration("V", "sky-accel", "sky-accel", completer, &mut out)
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn typed_words_are_not_run_and_replies_are_quoted() {
        let script = script("/opt/it's \u{2019}/sky-accel");
        assert!(!script.contains("Invoke-Expression"), "{script}");
        assert!(script.contains("EscapeSingleQuotedStringContent($value)"));
        assert!(script.contains("& '/opt/it''s \u{2019}\u{2019}/sky-accel' -- @words"));
        assert!(script.contains("$env:V = 'powershell'"));
    }
}
