import { filterTree, type Filter, type FilterValue, type WorkflowGraph, type WorkflowNode } from '@kontor/contract'
import { isList, isOneOf, isRecord, isString } from '../../lib/guards.ts'
import type { ObjectModel } from '../objects/index.ts'
import { isRemoved, nameNow, rewriteFilter, rewritePath, type SchemaChange } from '../filters/index.ts'
import {
  operatorOf,
  conditionField,
  pathOf,
  segmentsOf,
  variablesIn,
  withPaths,
  type Variable,
} from '../templates/index.ts'
import type { Plugins } from '../plugins/index.ts'
import { conditionLiteralFaults } from './check-conditions.ts'
import { writtenFaults } from './check-literals.ts'
import { fieldAt, rootsOf, triggerRoot, type Root } from './roots.ts'

/** A graph by the new names, and whether it names something that is removed. */
type Rewritten = { readonly graph: WorkflowGraph; readonly isCut: boolean }

/**
 * Rewrites a graph for the new schemas: what it names keeps its meaning, and removed options are left out of conditions
 * that have others. One that would be refused from now on for what is literal in it is cut, too.
 */
export function rewriteGraph(change: SchemaChange, graph: WorkflowGraph, plugins: Plugins): Rewritten {
  const rewriting = new Rewriting(change, plugins, rootsOf(graph, change.before, plugins))
  const adapted = rewriting.graph(graph)
  const wrong = (one: WorkflowGraph, objects: SchemaChange['before']): number =>
    writtenFaults(one, objects).length + conditionLiteralFaults(one, plugins, objects).length
  const isCut = rewriting.isCut || wrong(adapted, change.after) > wrong(graph, change.before)
  return { graph: adapted, isCut }
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
    const { path: given } = conditionField(leaf.field)
    const own = segmentsOf(given) ?? []
    const lead = own[0] === 'state' ? ['trigger'] : []
    const path = [...lead, ...own]
    const linked = roots.find(({ relationship }) => relationship === path.join('.'))
    if (linked !== undefined) return this.#linked(leaf, linked.object)
    const found = fieldAt(path, roots)
    if (found === undefined) return leaf
    const { object, before, name, below } = found
    const now = this.#leaf(object, { ...leaf, field: name }, this.#name(object, name))
    const field = fieldOf([...before.slice(lead.length), now.field, ...below])
    return { ...now, field: now.field === name ? leaf.field : leaf.field.replace(given, () => field) }
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
    const found = fieldAt(names, this.#roots)
    if (found === undefined) return path
    const { object, before, name, below } = found
    const now = this.#name(object, name)
    return now === name ? path : pathOf([...before, now, ...below])
  }

  /** The name by which to ask for a field now. */
  #name(object: ObjectModel, name: string): string {
    const field = object.fields.get(name)
    if (field === undefined) return name
    this.isCut ||= isRemoved(this.#change, object, field)
    return nameNow(this.#change, object, field)
  }

  /** Rewrites the fields and relationships that an input names of an object. */
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
    if ('and' in filter) return { and: filter.and.map((part) => this.#query(object, part)) }
    if ('or' in filter) return { or: filter.or.map((part) => this.#query(object, part)) }
    if ('not' in filter) return { not: this.#query(object, filter.not) }
    return this.#leaf(object, filter, this.#column(object, filter.field))
  }

  /**
   * A condition on a field under its name now, without removed options. Where none is left it would never hold, or
   * always: it stays as it is, and is refused until somebody says what it shall be.
   */
  #leaf(object: ObjectModel, leaf: Leaf, name: string): Leaf {
    const now = rewriteFilter(this.#change, object, leaf, 'whole')
    if ('field' in now && now.field === name) return now
    this.isCut = true
    return { ...leaf, field: name }
  }

  #column(object: ObjectModel, column: string): string {
    const { path, isCut } = rewritePath(this.#change, object, column)
    this.isCut ||= isCut
    return path
  }
}

/** The field of a condition, where a name may have spaces; only a dot has to be in brackets. */
const fieldOf = (names: readonly string[]): string =>
  names.some((name) => /[.[]/.test(name)) ? pathOf(names) : names.join('.')

/** A name that only the run can tell is left as it is. */
const isLiteral = (name: unknown): name is string => isString(name) && variablesIn(name).length === 0

const valueOf = ({ value }: Leaf) => (isList(value) ? [...value] : value)
