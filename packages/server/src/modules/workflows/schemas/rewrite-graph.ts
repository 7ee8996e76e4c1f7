import { filterTree, type Filter, type FilterValue, type WorkflowGraph, type WorkflowNode } from '@kontor/contract'
import { isList, isOneOf, isRecord, isString } from '../../../lib/guards.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { isRemoved, nameNow, rewriteFilter, rewritePath, type SchemaChange } from '../../query/index.ts'
import { operatorOf } from '../language/compare.ts'
import { pathOf, segmentsOf } from '../language/path.ts'
import { variablesIn, withPaths } from '../language/template.ts'
import type { Variable } from '../language/variable.ts'
import type { Plugins } from '../plugins/registry.ts'
import { rootsOf, triggerRoot, type Root } from './roots.ts'

/** A graph by the new names, and whether it names something that is removed. */
export type Rewritten = { readonly graph: WorkflowGraph; readonly isCut: boolean }

/** Rewrites a graph for the new schemas: what it names keeps its meaning, and removed options are left out. */
export function rewriteGraph(change: SchemaChange, graph: WorkflowGraph, plugins: Plugins): Rewritten {
  const rewriting = new Rewriting(change, plugins, rootsOf(graph, change.before, plugins))
  return { graph: rewriting.graph(graph), isCut: rewriting.isCut }
}

type Input = Readonly<Record<string, unknown>>

/** Operators whose values are whole texts. */
const comparing = ['Is', 'Is not', 'One of', 'Not one of'] as const

type Leaf = Extract<Filter, { readonly field: string }>

class Rewriting {
  readonly #change: SchemaChange
  readonly #plugins: Plugins
  readonly #roots: readonly Root[]
  isCut = false

  constructor(change: SchemaChange, plugins: Plugins, roots: readonly Root[]) {
    this.#change = change
    this.#plugins = plugins
    this.#roots = roots
  }

  graph({ trigger, blocks, exits, run_limits }: WorkflowGraph): WorkflowGraph {
    // The filters of an exit look at its own event.
    const atExit = (node: WorkflowNode) => triggerRoot(node, this.#change.before, this.#plugins)
    return {
      trigger: this.#node(trigger),
      blocks: Object.fromEntries(Object.entries(blocks).map(([key, node]) => [key, this.#node(node)])),
      exits: Object.fromEntries(Object.entries(exits).map(([key, node]) => [key, this.#node(node, atExit(node))])),
      run_limits,
    }
  }

  #node(node: WorkflowNode, roots = this.#roots): WorkflowNode {
    return {
      ...node,
      filters: node.filters.map(({ field, condition: { operator, value } }) => {
        const leaf = this.#condition({ field, op: operator, ...(value !== undefined && { value }) }, roots)
        return {
          field: leaf.field,
          condition: { operator: leaf.op, ...(leaf.value !== undefined && { value: valueOf(leaf) }) },
        }
      }),
      input: this.#input(node),
    }
  }

  #input({ plugin_id, input }: WorkflowNode): Record<string, unknown> {
    const { verbatim = [] } = this.#plugins.block(plugin_id) ?? this.#plugins.trigger(plugin_id) ?? {}
    const named = this.#names(plugin_id === 'general:branch' ? this.#branches(input) : input)
    return Object.fromEntries(
      Object.entries(named).map(([name, value]) => [
        name,
        verbatim.includes(name) ? value : withPaths(value, (variable) => this.#variable(variable)),
      ]),
    )
  }

  #branches(input: Input): Input {
    const { branches } = input
    if (!isList(branches)) return input
    const arms = branches.map((arm) => {
      const parsed = isRecord(arm) ? filterTree.safeParse(arm['filter']) : undefined
      return isRecord(arm) && parsed?.success === true ? { ...arm, filter: this.#tree(parsed.data) } : arm
    })
    return { ...input, branches: arms }
  }

  /** A tree whose fields are paths. */
  #tree(tree: Filter): Filter {
    if ('and' in tree) return { and: tree.and.map((part) => this.#tree(part)) }
    if ('or' in tree) return { or: tree.or.map((part) => this.#tree(part)) }
    return 'not' in tree ? { not: this.#tree(tree.not) } : this.#condition(tree, this.#roots)
  }

  /** A condition whose field is a path. What is below a field says nothing where the condition becomes another. */
  #condition(leaf: Leaf, roots: readonly Root[]): Leaf {
    const own = segmentsOf(leaf.field) ?? []
    const lead = own[0] === 'state' ? ['trigger'] : []
    const path = [...lead, ...own]
    const linked = roots.find(({ relationship }) => relationship === path.join('.'))
    if (linked !== undefined) return this.#linked(leaf, linked.object)
    const found = this.#find(path, roots)
    if (found === undefined) return leaf
    const { object, before, name, below } = found
    const now = rewriteFilter(this.#change, object, { ...leaf, field: name }, 'whole')
    if (!('field' in now)) return leaf
    const isSame = now.field === this.#name(object, name)
    const field = fieldOf([...before.slice(lead.length), now.field, ...(isSame ? below : [])])
    return { ...now, field: now.field === name ? leaf.field : field }
  }

  /** A condition on the name of a relationship; with operators that compare parts of texts it names none. */
  #linked(leaf: Leaf, object: ObjectModel): Leaf {
    const { op, value } = leaf
    if (!isOneOf(comparing, operatorOf(op))) return leaf
    const one = (name: FilterValue): FilterValue => (isLiteral(name) ? this.#name(object, name) : name)
    if (value === undefined) return leaf
    return { ...leaf, value: isList(value) ? value.map(one) : one(value) }
  }

  #variable({ path, names }: Variable): string {
    const found = this.#find(names, this.#roots)
    if (found === undefined) return path
    const { object, before, name, below } = found
    const now = this.#name(object, name)
    return now === name ? path : pathOf([...before, now, ...below])
  }

  /** The field that a path names, and what is before and below it. */
  #find(path: readonly string[], roots: readonly Root[]) {
    for (const { prefix, object } of roots) {
      const [name, ...below] = path.slice(prefix.length)
      const isBelow = name !== undefined && prefix.every((one, index) => fits(one, path[index]))
      if (isBelow) return { object, before: path.slice(0, prefix.length), name, below }
    }
    return undefined
  }

  /** The name by which to ask for a field now. */
  #name(object: ObjectModel, name: string): string {
    const field = object.fields.get(name)
    if (field === undefined) return name
    this.isCut ||= isRemoved(this.#change, object, field)
    return nameNow(this.#change, object, field)
  }

  /** What an input says of an object: its fields and relationships. */
  #names(input: Input): Input {
    if (isString(input['plugin_id']) && isRecord(input['input']))
      return { ...input, input: this.#names(input['input']) }
    const object = this.#change.before.get(isString(input['object']) ? input['object'] : '')
    if (object === undefined) return input
    this.isCut ||= ![...this.#change.after.values()].some(({ key }) => key === object.key)
    const one = (name: unknown): unknown => (isLiteral(name) ? this.#name(object, name) : name)
    const keys = (values: Input): Input =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [this.#name(object, name), value]))
    const { fields, relationship, match_on: unique, attributes, meta, filter, sort } = input
    const tree = filterTree.safeParse(filter)
    return {
      ...input,
      ...(isList(fields) && { fields: fields.map(one) }),
      ...(relationship !== undefined && { relationship: one(relationship) }),
      ...(unique !== undefined && { match_on: one(unique) }),
      ...(isRecord(attributes) && { attributes: keys(attributes) }),
      ...(isRecord(meta) && { meta: keys(meta) }),
      ...(tree.success && { filter: this.#query(object, tree.data) }),
      ...(isList(sort) && {
        sort: sort.map((by) =>
          isRecord(by) && isLiteral(by['column']) ? { ...by, column: this.#column(object, by['column']) } : by,
        ),
      }),
    }
  }

  /** A filter of records. */
  #query(object: ObjectModel, filter: Filter): Filter {
    const look = (part: Filter): void => {
      if ('and' in part) part.and.forEach(look)
      else if ('or' in part) part.or.forEach(look)
      else if ('not' in part) look(part.not)
      else this.#column(object, part.field)
    }
    look(filter)
    return rewriteFilter(this.#change, object, filter, 'whole')
  }

  #column(object: ObjectModel, column: string): string {
    const { path, isCut } = rewritePath(this.#change, object, column)
    this.isCut ||= isCut
    return path
  }
}

/** Tells whether a name of a path is that of a root, which has null where a list has a number. */
const fits = (wanted: string | null, name: string | undefined): boolean =>
  wanted === null ? /^\d+$/.test(name ?? '') : wanted === name

/** The field of a condition, where a name may have spaces; only a dot has to be in brackets. */
const fieldOf = (names: readonly string[]): string =>
  names.some((name) => /[.[]/.test(name)) ? pathOf(names) : names.join('.')

/** A name that only the run can tell is left as it is. */
const isLiteral = (name: unknown): name is string => isString(name) && variablesIn(name).length === 0

const valueOf = ({ value }: Leaf) => (isList(value) ? [...value] : value)
