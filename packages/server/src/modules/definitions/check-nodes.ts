import {
  changeOperators,
  multiValued,
  suggestion,
  meantOperator,
  valueless,
  valuelessText,
  type WorkflowGraph,
  type WorkflowNode,
} from '@kontor/contract'
import { isOneOf } from '../../lib/guards.ts'
import { nextTurn } from '../../lib/portions.ts'
import {
  changedField,
  operatorOf,
  fieldFault,
  namesOfField,
  withIndexes,
  templatesIn,
  typesBehind,
  type Variable,
} from '../templates/index.ts'
import {
  inputFaultsOf,
  type InputFault,
  type Block,
  type Objects,
  type PlacedCondition,
  type Trigger,
  type Plugins,
} from '../plugins/index.ts'
import { placedConditions } from './conditions-of.ts'
import { nameOf, triggerKey, type GraphFault, type NodePath } from './graph.ts'
import { acceptedAt, schemasAt, typesOf, type Schema } from './json-types.ts'
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
export async function nodeFaults(
  graph: WorkflowGraph,
  type: WorkflowType,
  plugins: Plugins,
  objects: Objects,
): Promise<GraphFault[]> {
  const variables = new Variables(graph, plugins, objects)
  const faultsOf = (checked: Checked): GraphFault[] => {
    const plugin = pluginOf(checked, plugins)
    if (plugin === undefined) return [unknownPlugin(checked, plugins)]
    const schema = variables.schemaFor(checked.key)
    return [
      ...typeFaults(checked, plugin, type),
      ...inputFaults(checked, plugin),
      ...variableFaults(checked, plugin, schema, plugins),
      ...placedConditions(checked.node, plugin).flatMap((placed) => conditionFaults(checked, placed, schema)),
    ]
  }
  const faults: GraphFault[] = []
  for (const checked of nodesOf(graph)) {
    faults.push(...faultsOf(checked))
    // All nodes together are up to a body of 1 MiB, each variable of which is looked up.
    await nextTurn()
  }
  return faults
}

const nodesOf = ({ trigger, blocks, exits }: WorkflowGraph): Checked[] => [
  { path: ['trigger'], node: trigger, place: 'trigger', key: triggerKey },
  ...Object.entries(blocks).map(([key, node]): Checked => ({ path: ['blocks', key], node, place: 'action', key })),
  ...Object.entries(exits).map(([key, node]): Checked => ({ path: ['exits', key], node, place: 'exit', key })),
]

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
    detail:
      `There is no ${what} "${node.plugin_id}".${suggestion(node.plugin_id, known)} ` +
      `There are: ${known.toSorted().join(', ')}.`,
  }
}

const typesAt = (place: Place, plugin: Block | Trigger): readonly WorkflowType[] =>
  (place === 'trigger' && 'begins' in plugin ? plugin.begins : undefined) ?? plugin.types

const typeFaults = ({ path, node, place }: Checked, plugin: Block | Trigger, type: WorkflowType): GraphFault[] => [
  ...(typesAt(place, plugin).includes(type)
    ? []
    : [{ path: [...path, 'plugin_id'], detail: `"${node.plugin_id}" cannot be used in a ${type}.` }]),
  ...('isAvailable' in plugin && !(plugin.isAvailable ?? true)
    ? [
        {
          path: [...path, 'plugin_id'],
          detail: `"${node.plugin_id}" requires settings that this server does not have.`,
        },
      ]
    : []),
]

const templatesOf = ({ input }: WorkflowNode, { verbatim = [], lookedUp = [] }: Block | Trigger) =>
  templatesIn(
    Object.fromEntries(Object.entries(input).filter(([name]) => !verbatim.includes(name) || lookedUp.includes(name))),
  )

/** Faults of an input by its schema. Where a text holds a variable, only the run can tell. */
function inputFaults({ path, node }: Checked, plugin: Block | Trigger): InputFault[] {
  const faults = inputFaultsOf(plugin.input, node.input)
  if (faults.length === 0) return []
  const { variables, malformed } = templatesOf(node, plugin)
  const texts = new Set([...variables, ...malformed].map(({ at }) => keyOf(at)))
  const around = new Set([...variables, ...malformed].flatMap(({ at }) => above(at)))
  const isHeld = (at: GraphFault['path']) =>
    around.has(keyOf(at)) || [...above(at), keyOf(at)].some((key) => texts.has(key))
  return faults
    .filter((fault) => fault.isUnknown === true || !isHeld(fault.path))
    .map((fault) => ({ ...fault, path: [...path, 'input', ...fault.path] }))
}

/** Finds members of inputs that their plugins do not have, which no draft may hold: they would never take effect. */
export function unknownMemberFaults(graph: WorkflowGraph, plugins: Plugins): GraphFault[] {
  return nodesOf(graph).flatMap((checked) => {
    const plugin = pluginOf(checked, plugins)
    return plugin === undefined ? [] : inputFaults(checked, plugin).filter((fault) => fault.isUnknown === true)
  })
}

/** The places that a place is in. */
const above = (at: GraphFault['path']): string[] => at.map((_, length) => keyOf(at.slice(0, length)))

const keyOf = (at: GraphFault['path']): string => at.join('\0')

function variableFaults(
  { path, node }: Checked,
  plugin: Block | Trigger,
  schema: Schema,
  plugins: Plugins,
): GraphFault[] {
  const { variables, malformed } = templatesOf(node, plugin)
  if (variables.length > variablesMax)
    return [{ path: [...path, 'input'], detail: `${nameOf(path)} has more than ${variablesMax} variables.` }]
  return [
    ...malformed.slice(0, malformedMax).map(({ at, fault }) => ({ path: [...path, 'input', ...at], detail: fault })),
    ...variables.flatMap((variable) => {
      const where = [...path, 'input', ...variable.at]
      const found = schemasOf(schema, variable.names)
      if (found === undefined) return [unknownVariable(where, path, variable.path)]
      if (!variable.isSole) return []
      const accepted = acceptedAt(plugins.inputSchema(plugin), variable.at.map(String))
      return typeFault(variable, typesBehind(typesOf(found), variable.filters), accepted).map((detail) => ({
        path: where,
        detail,
      }))
    }),
  ]
}

/** Variables of one node: each is looked up in each of its runs. */
const variablesMax = 2000

/** Malformed variables of one node that are told. */
const malformedMax = 20

/**
 * Returns the type error of a variable that stands alone, if it is certain: any value can be text, or one of a list.
 */
function typeFault(
  { path }: Variable,
  given: ReadonlySet<string> | undefined,
  accepted: ReadonlySet<string> | undefined,
): string[] {
  if (given === undefined || accepted === undefined || accepted.has('string') || accepted.has('array')) return []
  if ([...given].some((type) => accepted.has(type))) return []
  const hint = accepted.has('number') ? ' Add "| number" if it spells a number.' : ''
  const wanted = [...accepted].filter((type) => type !== 'null').join(' or ')
  return [`"${path}" is of the type ${[...given].join(' or ')}; ${wanted} is required here.${hint}`]
}

const unknownVariable = (where: GraphFault['path'], path: NodePath, variable: string): GraphFault => ({
  path: where,
  detail: `${nameOf(path)} uses "${variable}", which no node before it provides.`,
})

function conditionFaults(checked: Checked, placed: PlacedCondition, schema: Schema): GraphFault[] {
  const { path } = checked
  const faults: GraphFault[] = []
  const fault = fieldFault(placed.field)
  if (fault !== undefined) faults.push({ path: [...path, ...placed.at, 'field'], detail: fault })
  else if (!isKnown(checked, namesOfField(placed.field), schema))
    faults.push(unknownVariable([...path, ...placed.at, 'field'], path, placed.field))
  // Variables in the input of a plugin are checked with those of all its members.
  if (placed.at[0] === 'filters') faults.push(...valueFaults(checked, placed, schema))
  return [...faults, ...operatorFaults(path, placed)]
}

function valueFaults(checked: Checked, { value }: PlacedCondition, schema: Schema): GraphFault[] {
  const { path } = checked
  const { variables, malformed } = templatesIn(value.given)
  return [
    ...malformed.map(({ fault }) => ({ path: [...path, ...value.at], detail: fault })),
    ...variables
      .filter(({ names }) => !isKnown(checked, names, schema))
      .map((variable) => unknownVariable([...path, ...value.at], path, variable.path)),
  ]
}

/** An exit looks at an event of which only the plugin knows what it says, so its other variables are not there. */
const isKnown = ({ place }: Checked, names: readonly string[], schema: Schema): boolean =>
  place === 'exit' ? names.length > 1 && names[0] === 'trigger' : schemasOf(schema, names) !== undefined

const schemasOf = (schema: Schema, names: readonly string[]) =>
  schemasAt(schema, names) ?? schemasAt(schema, withIndexes(names))

function operatorFaults(path: NodePath, { at, field, operator, value }: PlacedCondition): GraphFault[] {
  if (isOneOf(changeOperators, operator.name))
    return changedField(field) === undefined
      ? [
          {
            path: [...path, ...at, 'field'],
            detail: `"${operator.name}" requires a field of the record, such as "state.event.object.data.stage".`,
          },
        ]
      : []
  const known = operatorOf(operator.name)
  if (known === undefined)
    return [{ path: [...path, ...operator.at], detail: `There is no operator "${operator.name}".` }]
  if (meantOperator(known, value.given) === undefined && templatesIn(value.given).variables.length === 0)
    return [{ path: [...path, ...value.at], detail: valuelessText(known) }]
  if (!valueless.has(known) && value.given === undefined)
    return [{ path: [...path, ...value.at], detail: `"${operator.name}" requires a value.` }]
  return !multiValued.has(known) && Array.isArray(value.given)
    ? [{ path: [...path, ...value.at], detail: `"${operator.name}" accepts one value.` }]
    : []
}
