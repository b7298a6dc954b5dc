//! Public names that nothing uses.
//!
//! The compiler finds what a crate defines for itself and never uses. A name that a library shows to
//! other crates it takes for used, although no crate of the workspace may name it.

use std::collections::{BTreeSet, HashMap};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Ident, Visibility};

use crate::source::{Crate, is_test};

/// Returns the public items of `product` that are named nowhere but where they are defined and where
/// they are re-exported: neither in the product outside its unit tests, nor in `others`, the texts of
/// other sources. A name counts as used if anything of this name is.
#[must_use]
pub fn unused(product: &[Crate], others: &[String]) -> Vec<String> {
    let mut names = Names::default();
    for text in others {
        let tokens = text.parse().expect("a source consists of tokens");
        names.use_all(tokens);
    }
    let mut found = BTreeSet::new();
    for file in product.iter().flat_map(|it| &it.files) {
        names.visit_file(&file.syntax);
        let shown = names.shown.drain(..);
        found.extend(shown.map(|name| (file.path.clone(), name)));
    }
    // Its definition is a use as well.
    found.retain(|(_, name)| names.uses[name] == 1);
    let lines = found.into_iter();
    lines
        .map(|(path, name)| format!("{path}: {name}"))
        .collect()
}

#[derive(Default)]
struct Names {
    shown: Vec<String>,
    uses: HashMap<String, usize>,
}

impl Names {
    fn show(&mut self, visibility: &Visibility, name: &Ident) {
        if let Visibility::Public(_) = visibility {
            self.shown.push(name.to_string());
        }
    }

    fn use_all(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.use_all(group.stream()),
                TokenTree::Ident(name) => self.visit_ident(&name),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_ident(&mut self, name: &'ast Ident) {
        *self.uses.entry(name.to_string()).or_default() += 1;
    }

    fn visit_macro(&mut self, it: &'ast syn::Macro) {
        visit::visit_macro(self, it);
        self.use_all(it.tokens.clone());
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if let Visibility::Inherited = item.vis {
            visit::visit_item_use(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.show(&item.vis, &item.sig.ident);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.show(&item.vis, &item.sig.ident);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.show(&item.vis, &item.ident);
        visit::visit_item_const(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.show(&item.vis, &item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.show(&item.vis, &item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.show(&item.vis, &item.ident);
        visit::visit_item_type(self, item);
    }
}
