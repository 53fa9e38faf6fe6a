//! Checks a GraphQL selection against a schema, and executes it.

use graphql_parser::query::{
    Definition, Document, Field as SelectedField, Selection, SelectionSet, Type, Value as Literal,
    VariableDefinition,
};
use serde_json::{Map, Value, json};

use super::schema::{FieldKind, SchemaArgument, SchemaField};

type FieldArguments = Map<String, Value>;

pub(super) struct Executor<'a> {
    pub document: &'a Document<'static, String>,
    pub variables: FieldArguments,
    /// Resolves a field, given the parent type, the field, the arguments and the parent value.
    pub resolve: &'a dyn Fn(&str, &str, &FieldArguments, &Value) -> Value,
}

/// Returns the variables of the request, with the defaults that the operation declares.
pub(super) fn declared(
    definitions: &[VariableDefinition<'static, String>],
    mut given: FieldArguments,
) -> Result<FieldArguments, String> {
    let mut variables = Map::new();
    for definition in definitions {
        let name = &definition.name;
        let value = match (given.remove(name), &definition.default_value) {
            (Some(value), _) => value,
            (None, Some(default)) => literal(default, &Map::new())?,
            (None, None) => Value::Null,
        };
        if value.is_null() && matches!(definition.var_type, Type::NonNullType(_)) {
            return Err(format!(
                "Variable \"${name}\" of required type \"{}\" was not provided.",
                definition.var_type
            ));
        }
        variables.insert(name.clone(), value);
    }
    Ok(variables)
}

fn literal(value: &Literal<'static, String>, variables: &FieldArguments) -> Result<Value, String> {
    Ok(match value {
        Literal::Variable(name) => variables
            .get(name)
            .cloned()
            .ok_or_else(|| format!("Variable \"${name}\" is not defined."))?,
        Literal::Int(number) => json!(number.as_i64()),
        Literal::Float(number) => json!(number),
        Literal::String(text) | Literal::Enum(text) => json!(text),
        Literal::Boolean(flag) => json!(flag),
        Literal::Null => Value::Null,
        Literal::List(values) => values
            .iter()
            .map(|value| literal(value, variables))
            .collect::<Result<_, _>>()?,
        Literal::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, value)| Ok((name.clone(), literal(value, variables)?)))
                .collect::<Result<_, String>>()?,
        ),
    })
}

fn check(argument: &SchemaArgument, value: &Value) -> Result<(), String> {
    let name = argument.name;
    let fits = match (argument.kind, value) {
        (_, Value::Null) if argument.required => {
            return Err(format!("Argument \"{name}\" is required."));
        }
        (_, Value::Null) => true,
        (FieldKind::Text, value) => value.is_string(),
        (FieldKind::Int, value) => value.is_i64(),
        (FieldKind::Number, value) => value.is_number(),
        (FieldKind::Flag, value) => value.is_boolean(),
        (FieldKind::Texts, value) => value
            .as_array()
            .is_some_and(|values| values.iter().all(Value::is_string)),
        (FieldKind::Input(known), Value::Object(fields)) => {
            return check_all(known, fields, "Field");
        }
        (FieldKind::Input(_), _) => false,
    };
    if fits {
        Ok(())
    } else {
        Err(format!("Argument \"{name}\" has invalid value {value}."))
    }
}

fn check_all(known: &[SchemaArgument], given: &FieldArguments, what: &str) -> Result<(), String> {
    if let Some(unknown) = given
        .keys()
        .find(|name| known.iter().all(|argument| argument.name != *name))
    {
        return Err(format!("{what} \"{unknown}\" is not defined."));
    }
    known
        .iter()
        .try_for_each(|argument| check(argument, given.get(argument.name).unwrap_or(&Value::Null)))
}

impl<'a> Executor<'a> {
    /// Returns the selected fields, with fragments expanded.
    fn fields(
        &self,
        selection: &'a SelectionSet<'static, String>,
    ) -> Result<Vec<&'a SelectedField<'static, String>>, String> {
        let mut fields = Vec::new();
        for item in &selection.items {
            match item {
                Selection::Field(field) => fields.push(field),
                Selection::InlineFragment(fragment) => {
                    fields.extend(self.fields(&fragment.selection_set)?);
                }
                Selection::FragmentSpread(spread) => {
                    let fragment = self
                        .document
                        .definitions
                        .iter()
                        .find_map(|definition| match definition {
                            Definition::Fragment(fragment)
                                if fragment.name == spread.fragment_name =>
                            {
                                Some(fragment)
                            }
                            _ => None,
                        })
                        .ok_or_else(|| format!("Unknown fragment \"{}\".", spread.fragment_name))?;
                    fields.extend(self.fields(&fragment.selection_set)?);
                }
            }
        }
        Ok(fields)
    }

    fn arguments(&self, field: &SelectedField<'static, String>) -> Result<FieldArguments, String> {
        field
            .arguments
            .iter()
            .map(|(name, value)| Ok((name.clone(), literal(value, &self.variables)?)))
            .collect()
    }

    pub fn validate(
        &self,
        parent: &str,
        schema: &[SchemaField],
        selection: &'a SelectionSet<'static, String>,
    ) -> Result<(), String> {
        for asked in self.fields(selection)? {
            if asked.name == "__typename" {
                continue;
            }
            let name = &asked.name;
            let field = schema
                .iter()
                .find(|field| field.name == name)
                .ok_or_else(|| format!("Cannot query field \"{name}\" on type \"{parent}\"."))?;
            check_all(field.arguments, &self.arguments(asked)?, "Argument")
                .map_err(|message| format!("{message} (field \"{name}\" of \"{parent}\")"))?;
            let empty = asked.selection_set.items.is_empty();
            match field.object {
                None if !empty => {
                    return Err(format!(
                        "Field \"{name}\" must not have a selection since it has no subfields."
                    ));
                }
                Some(_) if empty => {
                    return Err(format!(
                        "Field \"{name}\" must have a selection of subfields."
                    ));
                }
                None => {}
                Some((kind, fields)) => self.validate(kind, fields, &asked.selection_set)?,
            }
        }
        Ok(())
    }

    pub fn execute(
        &self,
        parent: &str,
        schema: &[SchemaField],
        selection: &'a SelectionSet<'static, String>,
        source: &Value,
    ) -> Result<Value, String> {
        let mut out = Map::new();
        for asked in self.fields(selection)? {
            let key = asked.alias.as_ref().unwrap_or(&asked.name);
            let value = if asked.name == "__typename" {
                json!(parent)
            } else {
                let arguments = self.arguments(asked)?;
                let value = (self.resolve)(parent, &asked.name, &arguments, source);
                let field = schema.iter().find(|field| field.name == asked.name);
                match (field.and_then(|field| field.object), value) {
                    (None, value) => value,
                    (Some((kind, fields)), Value::Array(rows)) => rows
                        .iter()
                        .map(|row| self.execute(kind, fields, &asked.selection_set, row))
                        .collect::<Result<_, _>>()?,
                    (Some((kind, fields)), row @ Value::Object(_)) => {
                        self.execute(kind, fields, &asked.selection_set, &row)?
                    }
                    (Some(_), _) => Value::Null,
                }
            };
            out.insert(key.clone(), value);
        }
        Ok(Value::Object(out))
    }
}
