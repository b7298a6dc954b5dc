//! The size of functions: how long they are, and how many ways lead through them.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Signature};

use crate::source::{SourceFile, is_test};

/// A function outside unit tests. A closure counts for the function around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The file and the name, as `file::name`.
    pub name: String,
    /// The lines from the signature to the last brace.
    pub lines: usize,
    /// The cyclomatic complexity: one, and one for each place where the way divides. A `match`
    /// counts as one such place, because its arms are read side by side.
    pub ways: usize,
}

/// Returns the functions of a file. Calls inside macros are not seen.
#[must_use]
pub fn functions(file: &SourceFile) -> Vec<Function> {
    let mut found = Functions {
        path: &file.path,
        found: Vec::new(),
    };
    found.visit_file(&file.syntax);
    found.found
}

struct Functions<'a> {
    path: &'a str,
    found: Vec<Function>,
}

impl Functions<'_> {
    fn take(&mut self, signature: &Signature, body: &Block) {
        let mut ways = Ways(1);
        ways.visit_block(body);
        let (first, last) = (signature.span().start().line, body.span().end().line);
        self.found.push(Function {
            name: format!("{}::{}", self.path, signature.ident),
            lines: last - first + 1,
            ways: ways.0,
        });
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.take(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.take(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.take(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

struct Ways(usize);

impl<'ast> Visit<'ast> for Ways {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let divides = match expr {
            Expr::If(_) | Expr::ForLoop(_) | Expr::While(_) | Expr::Match(_) | Expr::Try(_) => true,
            Expr::Binary(binary) => matches!(binary.op, BinOp::And(_) | BinOp::Or(_)),
            _ => false,
        };
        self.0 += usize::from(divides);
        visit::visit_expr(self, expr);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.0 += usize::from(arm.guard.is_some());
        visit::visit_arm(self, arm);
    }
}
