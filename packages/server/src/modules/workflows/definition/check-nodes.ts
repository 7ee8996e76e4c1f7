import {
  changeOperators,
  multiValued,
  suggestion,
  valueless,
  type WorkflowGraph,
  type WorkflowNode,
} from '@kontor/contract'
import { isOneOf } from '../../../lib/guards.ts'
import { changedField } from '../language/conditions.ts'
import { operatorOf } from '../language/compare.ts'
import { fieldPath, lookUp } from '../language/path.ts'
import { soleVariable, variablesIn } from '../language/template.ts'
import type { Block, Objects, PlacedCondition, Trigger } from '../plugins/plugin.ts'
import type { Plugins } from '../plugins/registry.ts'
import { nameOf, type GraphFault, type NodePath } from './faults.ts'
import { triggerKey } from './graph.ts'
import { schemasAt, typesOf, type Schema } from './json-types.ts'
import { Variables } from './variables.ts'

type Place = 'trigger' | 'exit' | 'action'

type Checked = {
  readonly path: NodePath
  readonly node: WorkflowNode
  readonly place: Place
  readonly key: string
}

type WorkflowType = Block['types'][number]

/** Checks each node by itself: its plugin, its input by the plugin's schema, its variables and filters. */
export function nodeFaults(graph: WorkflowGraph, type: WorkflowType, plugins: Plugins, objects: Objects): GraphFault[] {
  const variables = new Variables(graph, plugins, objects)
  const nodes: Checked[] = [
    { path: ['trigger'], node: graph.trigger, place: 'trigger', key: triggerKey },
    ...Object.entries(graph.blocks).map(([key, node]): Checked => ({
      path: ['blocks', key],
      node,
      place: 'action',
      key,
    })),
    ...Object.entries(graph.exits).map(([key, node]): Checked => ({ path: ['exits', key], node, place: 'exit', key })),
  ]
  return nodes.flatMap((checked) => {
    const plugin = pluginOf(checked, plugins)
    if (plugin === undefined) return [unknownPlugin(checked, plugins)]
    const schema = variables.schemaFor(checked.key)
    return [
      ...typeFaults(checked, plugin, type),
      ...inputFaults(checked, plugin),
      ...variableFaults(checked, plugin, schema, plugins),
      ...conditionsOf(checked, plugin).flatMap((placed) => conditionFaults(checked, placed, schema)),
    ]
  })
}

function pluginOf({ node, place }: Checked, plugins: Plugins): Block | Trigger | undefined {
  if (place === 'action') return plugins.block(node.plugin_id)
  const trigger = plugins.trigger(node.plugin_id)
  return trigger?.places.includes(place) === true ? trigger : undefined
}

function unknownPlugin({ path, node, place }: Checked, plugins: Plugins): GraphFault {
  const known = plugins.idsFor(place)
  const what = { trigger: 'trigger', exit: 'exit', action: 'action' }[place]
  return {
    path: [...path, 'plugin_id'],
    detail: `There is no ${what} "${node.plugin_id}".${suggestion(node.plugin_id, known)}`,
  }
}

const typesAt = (place: Place, plugin: Block | Trigger): readonly WorkflowType[] =>
  (place === 'trigger' && 'begins' in plugin ? plugin.begins : undefined) ?? plugin.types

const typeFaults = ({ path, node, place }: Checked, plugin: Block | Trigger, type: WorkflowType): GraphFault[] => [
  ...(typesAt(place, plugin).includes(type)
    ? []
    : [{ path: [...path, 'plugin_id'], detail: `"${node.plugin_id}" cannot be used in a ${type}.` }]),
  ...('isAvailable' in plugin && !(plugin.isAvailable ?? true)
    ? [{ path: [...path, 'plugin_id'], detail: `"${node.plugin_id}" needs settings that this server lacks.` }]
    : []),
]

const variablesOf = ({ input }: WorkflowNode, { verbatim = [], lookedUp = [] }: Block | Trigger) =>
  variablesIn(input).filter(({ at: [member] }) => {
    const name = String(member)
    return !verbatim.includes(name) || lookedUp.includes(name)
  })

/** Faults of an input by its schema. Where a text holds a variable, only the run can tell. */
function inputFaults({ path, node }: Checked, plugin: Block | Trigger): GraphFault[] {
  const parsed = plugin.input.safeParse(node.input)
  if (parsed.success) return []
  const held = variablesOf(node, plugin).map(({ at }) => at.join('/'))
  const isHeld = (at: string) => held.some((one) => one === at || one.startsWith(`${at}/`) || at.startsWith(`${one}/`))
  return parsed.error.issues
    .filter(({ code, path: at }) => code === 'unrecognized_keys' || !isHeld(at.join('/')))
    .map(({ path: at, message }) => ({
      path: [...path, 'input', ...at.filter((part) => typeof part !== 'symbol')],
      detail: message,
    }))
}

function variableFaults(
  { path, node }: Checked,
  plugin: Block | Trigger,
  schema: Schema,
  plugins: Plugins,
): GraphFault[] {
  return variablesOf(node, plugin).flatMap(({ path: variable, at }) => {
    const where = [...path, 'input', ...at]
    const found = schemasAt(schema, variable.split('.'))
    if (found === undefined) return [unknownVariable(where, path, variable)]
    if (soleVariable(String(lookUp({ input: node.input }, ['input', ...at].join('.')))) === undefined) return []
    const wanted = schemasAt(plugins.inputSchema(plugin), at.map(String))
    const [given, taken] = [typesOf(found), wanted && typesOf(wanted)]
    if (given === undefined || taken === undefined || [...given].some((type) => taken.has(type))) return []
    const detail = `"${variable}" is of the type ${[...given].join(' or ')}; ${[...taken].join(' or ')} is wanted here.`
    return [{ path: where, detail }]
  })
}

const unknownVariable = (where: GraphFault['path'], path: NodePath, variable: string): GraphFault => ({
  path: where,
  detail: `${nameOf(path)} names "${variable}", which nothing before it provides.`,
})

/** The filters of a node, and the conditions in the input of its plugin. */
const conditionsOf = ({ node }: Checked, plugin: Block | Trigger): PlacedCondition[] => [
  ...node.filters.map(({ field, condition: { operator, value } }, index) => {
    const at = ['filters', index]
    return {
      at,
      field,
      operator: { name: operator, at: [...at, 'condition', 'operator'] },
      value: { given: value, at: [...at, 'condition', 'value'] },
    }
  }),
  ...(('conditions' in plugin && plugin.conditions?.(node.input)) || []).map(({ at, field, operator, value }) => ({
    at: ['input', ...at],
    field,
    operator: { ...operator, at: ['input', ...operator.at] },
    value: { ...value, at: ['input', ...value.at] },
  })),
]

function conditionFaults(checked: Checked, placed: PlacedCondition, schema: Schema): GraphFault[] {
  const { path } = checked
  const faults: GraphFault[] = []
  if (!isKnown(checked, fieldPath(placed.field), schema))
    faults.push(unknownVariable([...path, ...placed.at, 'field'], path, placed.field))
  // Variables in the input of a plugin are checked with those of all its members.
  if (placed.at[0] === 'filters')
    for (const { path: variable } of variablesIn(placed.value.given))
      if (!isKnown(checked, variable, schema))
        faults.push(unknownVariable([...path, ...placed.value.at], path, variable))
  return [...faults, ...operatorFaults(path, placed)]
}

/** An exit looks at an event of which only the plugin knows what it says, so its other variables are not there. */
const isKnown = ({ place }: Checked, variable: string, schema: Schema): boolean =>
  place === 'exit' ? variable.startsWith('trigger.') : schemasAt(schema, variable.split('.')) !== undefined

function operatorFaults(path: NodePath, { at, field, operator, value }: PlacedCondition): GraphFault[] {
  if (isOneOf(changeOperators, operator.name))
    return changedField(field) === undefined
      ? [
          {
            path: [...path, ...at, 'field'],
            detail: `"${operator.name}" looks at a field of the record, such as "state.event.object.data.stage".`,
          },
        ]
      : []
  const known = operatorOf(operator.name)
  if (known === undefined)
    return [{ path: [...path, ...operator.at], detail: `There is no operator "${operator.name}".` }]
  if (!valueless.has(known) && value.given === undefined)
    return [{ path: [...path, ...value.at], detail: `"${operator.name}" needs a value.` }]
  return !multiValued.has(known) && Array.isArray(value.given)
    ? [{ path: [...path, ...value.at], detail: `"${operator.name}" takes one value.` }]
    : []
}
