//! Lists of MIG profiles.

use super::{SpecError, SpecErrorCode, SpecErrors};
use crate::mig::names::{profile_name, strip_prefix};
use crate::mig::{MAX_SLICES, ProfileRef, SliceList, SliceRequest};

/// Reads `3g.40gb*2+1g.10gb+me`: `+` separates profiles unless it belongs to a profile, as in
/// `+me`. `offset` is the location of the text in the spec.
///
/// # Errors
///
/// Fails with a [`SpecError`] when the list is empty or a profile cannot be read.
pub fn parse_slices(text: &str, offset: usize) -> Result<SliceList, SpecErrors> {
    let mut list = SliceList::default();
    let at = |rest: &str| offset + (text.len() - rest.len());
    let mut rest = text.trim_start();
    if rest.is_empty() {
        let message = "the list of MIG profiles is empty: write for example 3g.40gb or 1g.10gb*7";
        return Err(vec![SpecError::new(
            SpecErrorCode::BadMig,
            offset..offset + text.len(),
            message,
        )]);
    }
    loop {
        let start = at(rest);
        rest = strip_prefix(rest);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let id = rest[..digits].parse().ok().filter(|_| {
            matches!(
                rest[digits..].trim_start().bytes().next(),
                None | Some(b'+' | b',' | b'*')
            )
        });
        let profile = if let Some(id) = id {
            rest = &rest[digits..];
            ProfileRef::Id(id)
        } else if let Some((name, after)) = profile_name(rest) {
            rest = after;
            ProfileRef::Name(name)
        } else {
            let word = rest
                .split(['+', ',', '*'])
                .next()
                .unwrap_or(rest)
                .trim_end();
            let span = start..at(rest) + word.len();
            let message =
                format!("'{word}' is not a MIG profile such as 3g.40gb, 1g.10gb+me or 1c.3g.40gb");
            return Err(vec![SpecError::new(SpecErrorCode::BadMig, span, message)]);
        };
        let end = at(rest);
        let mut count = 1;
        if let Some(times) = rest.trim_start().strip_prefix(['*', 'x', 'X', '×']) {
            let times = times.trim_start();
            let digits = times.bytes().take_while(u8::is_ascii_digit).count();
            count = times[..digits].parse().unwrap_or(0);
            rest = &times[digits..];
            if count == 0 || count > MAX_SLICES {
                let message =
                    format!("the number of slices of a profile is from 1 to {MAX_SLICES}");
                return Err(vec![SpecError::new(
                    SpecErrorCode::BadMig,
                    start..at(rest),
                    message,
                )]);
            }
        }
        list.slices.push(SliceRequest {
            profile,
            count,
            span: start..end,
        });
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let Some(next) = rest.strip_prefix(['+', ',']) else {
            let message =
                format!("'{rest}' does not belong to a profile: profiles are joined with `+`");
            return Err(vec![SpecError::new(
                SpecErrorCode::BadMig,
                at(rest)..offset + text.len(),
                message,
            )]);
        };
        rest = next.trim_start();
    }
    if let Err(error) = list.check_size() {
        let span = offset..offset + text.len();
        let error = SpecError::new(SpecErrorCode::BadMig, span, error.to_string());
        return Err(vec![error]);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> String {
        parse_slices(text, 0).unwrap().to_string()
    }

    #[test]
    fn plus_separates_profiles_or_begins_an_attribute() {
        assert_eq!(list("3g.40gb+2g.20gb+1g.10gb"), "3g.40gb+2g.20gb+1g.10gb");
        assert_eq!(list("1g.10gb+me+2g.20gb"), "1g.10gb+me+2g.20gb");
        assert_eq!(
            list("1g.24gb+me.all+1g.24gb-me*3"),
            "1g.24gb+me.all+1g.24gb-me*3"
        );
        assert_eq!(list("3g.40gb,3g.40gb"), "3g.40gb*2");
        assert_eq!(list("MIG 3g.40gb"), "3g.40gb");
        assert_eq!(list("mig-1g.10gb.me"), "1g.10gb+me");
        assert_eq!(list("2g_10gb"), "2g.10gb");
        assert_eq!(list("1C.3G.20GB"), "1c.3g.20gb");
        assert_eq!(list("3c.3g.20gb"), "3g.20gb");
        assert_eq!(list("9*2+14"), "9*2+14");
    }

    #[test]
    fn errors_of_lists_have_spans() {
        for (text, span) in [
            ("3g.40", 0..5),
            ("3g.40gb+", 8..8),
            ("3g.40gb*0", 0..9),
            ("3g.40gb 2g", 8..10),
            ("", 0..0),
        ] {
            let errors = parse_slices(text, 0).unwrap_err();
            assert_eq!((errors.len(), errors[0].span.clone()), (1, span), "{text}");
        }
    }
}
