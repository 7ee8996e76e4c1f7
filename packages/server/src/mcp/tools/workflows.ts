import { z } from 'zod'
import { failure } from '../../kernel/errors.ts'
import { asData, plainText, table } from '../../markdown/index.ts'
import { dryRun, id, object, paging } from '../arguments.ts'
import { linesOf, portionOf, readCursor } from '../cursor.ts'
import { tool, type ToolContext } from '../tool.ts'

const input = z.strictObject({
  action: z.enum(['list', 'read', 'runs', 'read_run', 'run']),
  id: id.optional().meta({ description: 'Workflow id, or run id for `read_run`. Required, but for `list`.' }),
  object: object.optional().meta({ description: 'For `run`: object of the record to run it for.' }),
  record_id: id.optional(),
  data: z.looseObject({}).optional().meta({ description: 'For `run`: data for a workflow without a record.' }),
  dry_run: dryRun,
  ...paging,
})

type Input = z.output<typeof input>

export const workflows = tool({
  name: 'workflows',
  title: 'Work with workflows',
  description: 'Shows workflows and their runs, and starts a run. Create and edit workflows with `execute`.',
  uses: ['workflows.list', 'workflows.get', 'workflows.listRuns', 'workflows.getRun', 'workflows.run'],
  input,
  async run(context, given) {
    const { call } = context
    if (given.action === 'list') return allWorkflows(context)
    const workflowId = given.id
    if (workflowId === undefined)
      throw failure('invalid_parameter', `The action "${given.action}" requires "id".`, { source: { pointer: '/id' } })
    if (given.action === 'runs') return runsOf(context, workflowId)
    if (given.action === 'run') return start(context, workflowId, given)
    const { data } =
      given.action === 'read'
        ? await call('workflows.get', { id: workflowId })
        : await call('workflows.getRun', { id: workflowId })
    const { lines, more } = portionOf(
      linesOf(JSON.stringify(data.attributes)),
      readCursor(given.cursor),
      null,
      given.max_tokens,
    )
    return `${asData(lines.join('\n'))}${more}`
  },
})

async function allWorkflows({ call }: ToolContext): Promise<string> {
  const { data } = await call('workflows.list', { page: { limit: 200 } })
  if (data.length === 0) return 'There is no workflow that you may see.'
  const rows = data.map(({ id: workflowId, attributes: { name, type, enabled, trigger, description } }) => [
    workflowId,
    name,
    type,
    enabled ? 'enabled' : 'disabled',
    plainText(trigger?.plugin_id),
    plainText(description),
  ])
  return asData(table(['id', 'name', 'type', 'state', 'trigger', 'description'], rows))
}

async function runsOf({ call }: ToolContext, workflowId: string): Promise<string> {
  const { data, meta } = await call('workflows.listRuns', { id: workflowId, page: { limit: 20 } })
  if (data.length === 0) return 'It has not run yet.'
  const rows = data.map(({ id: runId, attributes: { status, object: entity, record_id, error, _created_at } }) => [
    runId,
    status,
    [entity, record_id].filter(Boolean).join(' '),
    plainText(error?.detail),
    _created_at,
  ])
  const runs = table(['id', 'status', 'record', 'error', 'created'], rows)
  return `${meta.total_records} runs, ${data.length} shown.\n${asData(runs)}`
}

async function start(
  { call }: ToolContext,
  workflowId: string,
  { object: entity, record_id, data, dry_run }: Input,
): Promise<string> {
  const body = {
    ...(entity !== undefined && { object: entity }),
    ...(record_id !== undefined && { record_id }),
    ...(data !== undefined && { data }),
    ...(dry_run && { dry_run: true }),
  }
  const { data: run } = await call('workflows.run', { id: workflowId, body })
  const kind = dry_run ? 'test run, which changes nothing' : 'run'
  return `Started the ${kind}: ${run.id} is ${run.attributes.status}. See it with "action": "read_run".`
}
