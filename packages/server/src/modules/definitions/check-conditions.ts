import { changeOperators, type Operator, type WorkflowGraph } from '@kontor/contract'
import { fold } from '../../db/fold.ts'
import { derived } from '../../lib/caches.ts'
import { isList, isOneOf, isString } from '../../lib/guards.ts'
import type { Field } from '../fields/index.ts'
import { parsePeriod, periodNames } from '../../lib/period.ts'
import { operatorOf, conditionField, namesOfField, readTime, numeralOf } from '../templates/index.ts'
import type { Objects, PlacedCondition, Plugins } from '../plugins/index.ts'
import { fieldAt, rootsOf, triggerRoot } from './roots.ts'
import { conditionsOf } from './conditions-of.ts'
import type { GraphFault } from './graph.ts'

/** Finds conditions on fields of records whose literal value no such field can have, so that they never hold. */
export function conditionLiteralFaults(graph: WorkflowGraph, plugins: Plugins, objects: Objects): GraphFault[] {
  const roots = rootsOf(graph, objects, plugins)
  return conditionsOf(graph, plugins).flatMap(({ path, node, condition }) => {
    // Behind filters, a value is another than the field's.
    if (conditionField(condition.field).filters.length > 0) return []
    const names = namesOfField(condition.field)
    const found = fieldAt(names, path[0] === 'exits' ? triggerRoot(node, objects, plugins) : roots)
    const field = found?.below.length === 0 ? found.object.fields.get(found.name) : undefined
    if (field === undefined) return []
    // One fault says what the field can have, which may be long.
    const { name: operator } = condition.operator
    const wrong = valuesOf(condition).find(({ value }) => faultOf(field, operator, value) !== undefined)
    return wrong === undefined
      ? []
      : [{ path: [...path, ...wrong.at], detail: faultOf(field, operator, wrong.value) ?? '' }]
  })
}

/** The literal values of a condition, each with its place. */
function valuesOf({ value: { given, at } }: PlacedCondition) {
  const each = isList(given) ? given.map((value, index) => ({ value, at: [...at, index] })) : [{ value: given, at }]
  return each.filter(({ value }) => value !== null && value !== undefined && !(isString(value) && value.includes('{{')))
}

const foldedOptions = derived((options: ReadonlySet<string>) => new Set([...options].map(fold)))

const equalities = ['Is', 'Is not', 'One of', 'Not one of'] as const satisfies readonly Operator[]
const orders = [
  'Greater than',
  'Greater than or equal',
  'Less than',
  'Less than or equal',
] as const satisfies readonly Operator[]
const times = ['Is before', 'Is on or before', 'Is after', 'Is on or after'] as const satisfies readonly Operator[]

function faultOf({ title, type, options }: Field, operator: string, value: unknown): string | undefined {
  const known = operatorOf(operator)
  const isEquality = isOneOf(equalities, known) || (isOneOf(changeOperators, operator) && operator !== 'Changed')
  if (options !== undefined)
    return isEquality && !foldedOptions(options).has(fold(String(value)))
      ? `${title} must be one of: ${[...options].join(', ')}.`
      : undefined
  if (type.comparedAs === 'number' && (isEquality || isOneOf(orders, known)))
    return numeralOf(value) === undefined ? `${title} must be a number.` : undefined
  if ((type.name === 'date' || type.name === 'timestamp') && (isEquality || isOneOf(times, known)))
    return isString(value) && readTime(value, 'utc') !== undefined ? undefined : `${title} must be a date or a time.`
  if (known === 'Within' && (!isString(value) || parsePeriod(value, 0, 'utc') === undefined))
    return `"Within" requires a period: ${periodNames.join(', ')}.`
  return undefined
}
