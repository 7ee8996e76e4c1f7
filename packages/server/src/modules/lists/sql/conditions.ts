import { isList, memberOf } from '../../../lib/guards.ts'
import { isTime, type Column } from '../../objects/index.ts'
import { type Budget, kindOf, namesIn, type Node, only, refused } from '../../sql-grammar/index.ts'
import { columnAt, isColumn, type Located } from './columns.ts'
import { between, compared, equal, hasAny, itemsOf, leaf, like, turned } from './comparisons.ts'
import type { Reading } from './literals.ts'
import type { Many, Tables } from './tables.ts'
import type { Tree } from './tree.ts'

/** The context in which conditions are read. */
export type Scope = Reading & { readonly tables: Tables; readonly budget: Budget }

/**
 * A condition, and the to-many tables that it refers to; `undefined` stands for the record of the list and its to-one
 * tables.
 */
export type Spoken = { readonly tree: Tree; readonly of: ReadonlySet<Many | undefined> }

/**
 * Reads a condition of WHERE. NOT is pushed down to the comparisons, so that for an empty value neither a comparison
 * nor its negation holds.
 */
export function conditionAt(part: unknown, scope: Scope, depth = 1): Spoken {
  const of = new Set<Many | undefined>()
  return { tree: read(part, { ...scope, of }, false, depth), of }
}

type Reader = Scope & { readonly of: Set<Many | undefined> }

function read(part: unknown, reader: Reader, negated: boolean, depth: number): Tree {
  reader.budget.enter(depth, part)
  const [kind, node] = kindOf(part)
  if (kind === 'BoolExpr') return joinedBy(node, reader, negated, depth)
  if (kind === 'NullTest') return emptiness(node, reader, negated)
  if (kind === 'A_Expr') return expression(node, part, reader, negated)
  throw refused('A condition must compare a column; conditions are joined by AND, OR and NOT', part)
}

function joinedBy(node: Node, reader: Reader, negated: boolean, depth: number): Tree {
  only(node, ['boolop', 'args'], 'A condition')
  const args = isList(node['args']) ? node['args'] : []
  if (node['boolop'] === 'NOT_EXPR') return read(args[0], reader, !negated, depth + 1)
  const parts = args.map((arg) => read(arg, reader, negated, depth + 1))
  return (node['boolop'] === 'AND_EXPR') !== negated ? { and: parts } : { or: parts }
}

function emptiness(node: Node, reader: Reader, negated: boolean): Tree {
  only(node, ['arg', 'nulltesttype'], 'IS NULL')
  const located = note(columnAt(columnIn(node['arg'], node), reader.tables), reader)
  return leaf(located, (node['nulltesttype'] === 'IS_NULL') !== negated ? 'Is empty' : 'Is not empty')
}

function expression(node: Node, part: unknown, reader: Reader, negated: boolean): Tree {
  only(node, ['kind', 'name', 'lexpr', 'rexpr', 'rexpr_list_start', 'rexpr_list_end'], 'A comparison')
  const sign = namesIn(node['name'])?.join('.') ?? ''
  const left = () => note(sideAt(node['lexpr'], part, reader), reader)
  switch (node['kind']) {
    case 'AEXPR_IN':
      return equal(left(), itemsOf(node['rexpr']).map(withinCase), (sign === '<>') !== negated, reader)
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE':
      return like(left(), { ...node, rexpr: withinCase(node['rexpr']) }, negated)
    case 'AEXPR_BETWEEN':
    case 'AEXPR_NOT_BETWEEN':
      return between(left(), node, negated, reader)
    case 'AEXPR_OP':
      return sign === '?|' ? anyItem(node, reader, negated) : comparison(node, sign, part, reader, negated)
    default:
      throw refused('Use = <> < > <= >= IN LIKE ILIKE BETWEEN IS NULL', part)
  }
}

/** Reads a comparison of a column and a constant, on either side. */
function comparison(node: Node, sign: string, part: unknown, reader: Reader, negated: boolean): Tree {
  const isTurned = !isSide(node['lexpr']) && isSide(node['rexpr'])
  const [column, constant] = isTurned ? [node['rexpr'], node['lexpr']] : [node['lexpr'], node['rexpr']]
  const own = isTurned ? turned(sign) : sign
  if (own === undefined || turned(sign) === undefined)
    throw refused(`The operator "${sign}" is not supported; use = <> < > <= >= IN LIKE ILIKE BETWEEN IS NULL`, {
      location: node['location'],
    })
  return compared(note(sideAt(column, part, reader), reader), own, withinCase(constant), negated, reader)
}

/** `(labels->'items') ?| ARRAY['a', 'b']`. */
function anyItem(node: Node, reader: Reader, negated: boolean): Tree {
  const [kind, access] = kindOf(node['lexpr'])
  const key = ['A_Const', 'sval', 'sval'].reduce(memberOf, access['rexpr'])
  const isItems =
    kind === 'A_Expr' && access['kind'] === 'AEXPR_OP' && namesIn(access['name'])?.join('.') === '->' && key === 'items'
  if (!isItems) throw refused("The items of a column are written (column->'items')", node['lexpr'])
  const [array, list] = kindOf(node['rexpr'])
  if (array !== 'A_ArrayExpr' || !Array.isArray(list['elements']))
    throw refused("?| requires ARRAY['…', '…']", node['rexpr'], node)
  only(list, ['elements', 'list_start', 'list_end'], 'ARRAY')
  return hasAny(
    note(columnAt(columnIn(access['lexpr'], access), reader.tables), reader),
    list['elements'],
    negated,
    reader,
  )
}

const isCase = (part: unknown): boolean =>
  ['upper', 'lower'].includes(namesIn(kindOf(part)[1]['funcname'])?.join('.') ?? '')

/** The argument of UPPER or LOWER, which have no effect if case does not matter; anything else as it is. */
function withinCase(part: unknown): unknown {
  const [kind, node] = kindOf(part)
  if (kind !== 'FuncCall') return part
  const args = node['args']
  if (!isCase(part) || !Array.isArray(args) || args.length !== 1)
    throw refused('Only the functions UPPER and LOWER are supported', part)
  only(node, ['funcname', 'args', 'funcformat'], 'UPPER and LOWER')
  return args[0]
}

const isSide = (part: unknown): boolean =>
  isColumn(part) || (isCase(part) && isColumn([kindOf(part)[1]['args']].flat()[0]))

/** The column on one side of a comparison. */
function sideAt(part: unknown, around: unknown, { tables }: Reader): Located {
  const inner = withinCase(part)
  const located = columnAt(columnIn(inner, around), tables)
  if (inner === part) return located
  if (!hasLetters(located.column)) throw refused(`UPPER and LOWER do not apply to "${located.column.name}"`, part)
  return { ...located, anyCase: true }
}

/** Tells whether a column has letters: texts, options and ids do; dates, numbers and flags do not. */
const hasLetters = (column: Column): boolean =>
  column.kind === 'system'
    ? !isTime(column)
    : column.field.type.comparedAs === 'text' && !['date', 'timestamp'].includes(column.field.type.name)

function columnIn(part: unknown, around: unknown): unknown {
  if (!isColumn(part)) throw refused('A condition must compare a column with a constant', part, around)
  return part
}

function note(located: Located, { of }: Reader): Located {
  of.add(located.table.many)
  return located
}

/** The top-level conditions of WHERE, joined by AND. */
export function conjunctsAt(part: unknown): readonly unknown[] {
  const [kind, node] = kindOf(part)
  return kind === 'BoolExpr' && node['boolop'] === 'AND_EXPR' && Array.isArray(node['args'])
    ? node['args'].flatMap(conjunctsAt)
    : [part]
}
