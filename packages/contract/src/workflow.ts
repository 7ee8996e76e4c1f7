import { z } from 'zod'
import { filterValuesMax } from './filters.ts'
import { actingStops, id, timestamp, visibleText } from './shared.ts'

/** Sequences are campaigns, and agents are made as such: `agents.create`. */
export const workflowTypes = ['workflow', 'sequence', 'agent'] as const

const newWorkflowTypes = ['workflow', 'sequence'] as const

/** Blocks of one workflow, and exits of one workflow. */
export const workflowBlocksMax = 200
export const workflowExitsMax = 20
export const nodeFiltersMax = 50

/** Operators of node filters beside those of every filter: they look at what a change was from and to. */
export const changeOperators = ['Changed', 'Changed from', 'Changed to'] as const

const scalars = [z.string().max(10_000), z.number(), z.boolean(), z.null()] as const

const nodeCondition = z
  .strictObject({
    operator: z.string().min(1).max(40).meta({
      description: 'An operator of filters or its alias, or `Changed`, `Changed from`, `Changed to`.',
      example: 'Greater than',
    }),
    value: z
      .union([...scalars, z.array(z.union(scalars)).max(filterValuesMax)])
      .optional()
      .meta({
        description:
          'Can be a variable, `{{trigger.state.…}}`. If the variable has no value, the condition is false; ' +
          'only a literal null tests for emptiness.',
      }),
  })
  .meta({ id: 'WorkflowCondition' })

export const nodeFilter = z
  .strictObject({
    field: z
      .string()
      .min(1)
      .max(500)
      .meta({
        description:
          'The value to compare: `state.…` of the trigger, or `<block>.state.output.…` of a block that ran before. ' +
          'Can have filters, as variables have: `state.event.data.tier | default:"gold"`.',
        example: 'state.event.object.data.stage',
      }),
    condition: nodeCondition,
  })
  .meta({ id: 'WorkflowFilter' })

export type NodeFilter = z.infer<typeof nodeFilter>

/** The key of a block or an exit. */
export const nodeKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, `_` and `-`')
  .meta({ example: 'assign' })

const pluginId = z.string().min(1).max(100).meta({ example: 'svc:update:record' })

const filters = z.array(nodeFilter).max(nodeFiltersMax).meta({
  description: 'Conditions that must all be true: for a run to start (trigger), or for the block to run.',
})

const input = z.record(z.string().min(1).max(100), z.unknown()).meta({
  description: "The input as the plugin's schema defines it; any text can contain variables, `{{trigger.state.…}}`.",
})

const node = z
  .object({
    _id: z.string(),
    plugin_id: z.string(),
    filters: z.array(nodeFilter),
    input,
    prev: z.string().nullable().meta({ description: 'A node that leads to this one; null for a trigger or an exit.' }),
    next: z.string().nullable().meta({ description: 'The key of the block that follows; null ends the run.' }),
  })
  .meta({ id: 'WorkflowNode' })

export type WorkflowNode = z.infer<typeof node>

const nodeInput = z
  .strictObject({
    _id: z.string().min(1).max(64).optional().meta({ description: 'The key of the node; filled in if missing.' }),
    plugin_id: pluginId,
    filters: filters.optional(),
    input: input.optional(),
    prev: nodeKey.nullable().optional(),
    next: nodeKey.nullable().optional(),
  })
  .meta({ id: 'WorkflowNodeInput', description: 'A node; missing members are empty.' })

export type WorkflowNodeInput = z.infer<typeof nodeInput>

const limit = (max: number) => z.int().min(1).max(max)

const limits = {
  max_runs_per_record: limit(1_000_000).meta({ description: 'Maximum number of runs for one record, in total.' }),
  cooldown_period_days: z
    .number()
    .min(0)
    .max(3650)
    .meta({ description: 'Days after a run in which no other run starts for the same record.' }),
  max_runs_per_minute: limit(1_000_000).meta({
    description: 'Maximum rate of runs. Further runs wait; none is lost.',
  }),
  max_depth: limit(20).meta({
    description: 'Maximum length of a chain of workflows that trigger one another; 5 by default.',
  }),
}

export const runLimits = z.strictObject(limits).partial().meta({ id: 'WorkflowRunLimits' })

const runLimitsInput = z
  .strictObject({
    max_runs_per_record: limits.max_runs_per_record.nullish(),
    cooldown_period_days: limits.cooldown_period_days.nullish(),
    max_runs_per_minute: limits.max_runs_per_minute.nullish(),
    max_depth: limits.max_depth.nullish(),
  })
  .meta({
    id: 'WorkflowRunLimitsInput',
    description: 'null removes the limit, except for the length of a chain of workflows.',
  })

export type RunLimits = z.infer<typeof runLimits>

const nodesInput = (max: number, what: string) =>
  z.record(nodeKey, nodeInput).refine((nodes) => Object.keys(nodes).length <= max, `at most ${max} ${what}`)

/** The parts of a version of a workflow. */
export const workflowGraph = z.object({
  trigger: node,
  blocks: z.record(z.string(), node),
  exits: z.record(z.string(), node),
  run_limits: runLimits,
})

export type WorkflowGraph = z.infer<typeof workflowGraph>

const graphInput = {
  /** By default `on:manual:execution`. */
  trigger: nodeInput.optional(),
  blocks: nodesInput(workflowBlocksMax, 'blocks').optional().meta({ description: 'The blocks by their keys.' }),
  exits: nodesInput(workflowExitsMax, 'exits').optional().meta({
    description: 'Events that end a run in progress; after an exit with `next`, the run continues there instead.',
  }),
  run_limits: runLimitsInput.optional(),
}

/** Read-only members of a workflow, which a body may send back as they were read. */
const readBack = {
  _id: id.optional(),
  type: z.enum(workflowTypes).optional(),
  version: z.int().optional(),
  owner_id: id.optional(),
  acting_id: id.optional(),
  stopped_reason: z.string().max(64).nullish(),
  _created_at: timestamp.optional(),
  _created_by: id.optional(),
  _updated_at: timestamp.optional(),
  _updated_by: id.optional(),
}

const name = visibleText(200).meta({ example: 'Welcome new customers' })
const description = z.string().max(10_000)
const enabled = z.boolean().meta({ description: 'True if it is enabled. Its graph is checked when it is enabled.' })

export const newWorkflow = z
  .strictObject({
    name,
    description: description.nullable().optional(),
    type: z.enum(newWorkflowTypes).optional().meta({ description: 'By default `workflow`.' }),
    enabled: enabled.optional().meta({ description: 'By default false.' }),
    ...graphInput,
  })
  .meta({ id: 'NewWorkflow' })

export type NewWorkflow = z.infer<typeof newWorkflow>

export const workflowChange = z
  .strictObject({
    name: name.optional(),
    description: description.nullable().optional(),
    enabled: enabled.optional(),
    published_at: timestamp
      .nullable()
      .optional()
      .meta({ description: 'null makes the workflow a draft, which does not run; a time publishes it.' }),
    ...graphInput,
    ...readBack,
  })
  .meta({
    id: 'WorkflowChange',
    description: 'Omitted attributes stay. Attributes that cannot be changed may be sent back unchanged.',
  })

export type WorkflowChange = z.infer<typeof workflowChange>

/** Why a workflow was stopped by the server; `key_revoked` and `access_ended` are in what was stored before 0275. */
export const workflowStops = [...actingStops, 'key_revoked', 'access_ended', 'schema_changed'] as const

export type WorkflowStop = (typeof workflowStops)[number]

export const workflowResource = z
  .object({
    type: z.literal('workflow'),
    id,
    attributes: z.object({
      _id: id,
      name: z.string(),
      description: z.string(),
      enabled: z.boolean(),
      type: z.enum(workflowTypes),
      published_at: timestamp.nullable().meta({ description: 'null for a draft.' }),
      ...workflowGraph.shape,
      version: z.int().meta({ description: 'Version of its graph; a run keeps the version that it began with.' }),
      owner_id: id.meta({
        description:
          'The user or workspace key that created it. They may change it, and so may admins and `acting_id`.',
      }),
      acting_id: id.meta({
        description: 'The user or workspace key it runs as: the one that last enabled it or changed its graph.',
      }),
      stopped_reason: z
        .enum(workflowStops)
        .nullable()
        .meta({
          description:
            'Why the server disabled it; null unless it did. `owner_left`: the person it acts for is no longer a ' +
            'member. `owner_demoted`: that person has a lower role than when they enabled it. `credential_ended`: ' +
            'the key or app with which it was enabled was revoked, removed or has expired (`key_revoked` or ' +
            '`access_ended` if that was long ago), or it was restored from a bundle. ' +
            '`schema_changed`: a field or an object that it names was removed.',
        }),
      _created_at: timestamp,
      _created_by: id,
      _updated_at: timestamp,
      _updated_by: id,
    }),
  })
  .meta({ id: 'Workflow' })

export type WorkflowResource = z.infer<typeof workflowResource>

export const workflowSecret = z
  .object({
    type: z.literal('workflow-secret'),
    id: id.meta({ description: 'The id of the workflow.' }),
    attributes: z.object({
      secret: z.string().meta({ description: 'The secret, in the format of Standard Webhooks.', example: 'whsec_…' }),
    }),
  })
  .meta({ id: 'WorkflowSecret' })

export const workflowVersion = z
  .object({
    type: z.literal('workflow-version'),
    id: z.string().meta({ description: '`<workflow>:<version>`.' }),
    attributes: z.object({
      workflow_id: id,
      version: z.int(),
      ...workflowGraph.shape,
      _created_at: timestamp,
      _created_by: id,
    }),
  })
  .meta({ id: 'WorkflowVersion', description: 'One version of the graph of a workflow. It never changes.' })

export type WorkflowVersionResource = z.infer<typeof workflowVersion>

const jsonSchema = z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema, dialect 2020-12.' })

export const pluginKinds = ['trigger', 'action', 'exit'] as const

export const workflowPlugin = z
  .object({
    type: z.literal('workflow-plugin'),
    id: z.string().meta({ example: 'svc:create:record' }),
    attributes: z.object({
      title: z.string(),
      description: z.string(),
      kinds: z.array(z.enum(pluginKinds)).meta({ description: 'The places of a graph where the plugin can be used.' }),
      workflow_types: z.array(z.enum(workflowTypes)),
      available: z.boolean().meta({ description: 'False where the server lacks the settings that it needs.' }),
      input: jsonSchema.meta({ description: 'The input of its nodes; texts can contain variables.' }),
      output: jsonSchema.meta({ description: '`state.output` of an action, `state` of a trigger.' }),
    }),
  })
  .meta({ id: 'WorkflowPlugin' })

export type WorkflowPluginResource = z.infer<typeof workflowPlugin>
