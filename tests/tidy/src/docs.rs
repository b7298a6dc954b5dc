//! The doc comments of a file.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// A doc comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocComment {
    /// The line on which it begins, counted from 1.
    pub line: usize,
    /// The first paragraph, on one line.
    pub summary: String,
}

/// Returns every doc comment of a file, the file's own head included.
#[must_use]
pub fn doc_comments(file: &syn::File) -> Vec<DocComment> {
    let mut comments = Comments(Vec::new());
    comments.take(&file.attrs);
    comments.visit_file(file);
    comments.0
}

struct Comments(Vec<DocComment>);

impl Comments {
    fn take(&mut self, attributes: &[Attribute]) {
        let lines: Vec<(usize, String)> = attributes
            .iter()
            .filter_map(|attribute| {
                let line = attribute.span().start().line;
                Some((line, doc_line(attribute)?))
            })
            .collect();
        let Some((line, _)) = lines.first() else {
            return;
        };
        let texts = lines.iter().map(|(_, text)| text.trim());
        let summary: Vec<&str> = texts
            .skip_while(|text| text.is_empty())
            .take_while(|text| !text.is_empty())
            .collect();
        self.0.push(DocComment {
            line: *line,
            summary: summary.join(" "),
        });
    }
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) if pair.path.is_ident("doc") => Some(text.value()),
        _ => None,
    }
}

macro_rules! visit_documented {
    ($($method:ident: $node:ident),* $(,)?) => {
        impl<'ast> Visit<'ast> for Comments {
            $(fn $method(&mut self, node: &'ast syn::$node) {
                self.take(&node.attrs);
                visit::$method(self, node);
            })*
        }
    };
}

visit_documented! {
    visit_field: Field,
    visit_variant: Variant,
    visit_item_const: ItemConst,
    visit_item_enum: ItemEnum,
    visit_item_fn: ItemFn,
    visit_item_macro: ItemMacro,
    visit_item_mod: ItemMod,
    visit_item_static: ItemStatic,
    visit_item_struct: ItemStruct,
    visit_item_trait: ItemTrait,
    visit_item_type: ItemType,
    visit_impl_item_const: ImplItemConst,
    visit_impl_item_fn: ImplItemFn,
    visit_impl_item_type: ImplItemType,
    visit_trait_item_const: TraitItemConst,
    visit_trait_item_fn: TraitItemFn,
    visit_trait_item_type: TraitItemType,
}
