import { isDeepStrictEqual } from 'node:util'
import { attributesOf, type AgentChange, type agents, type Input, type NewAgent, isBlank } from '@kontor/contract'
import { agentOf, holderId } from '../../kernel/actor.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { requireAsRead, requireSameId } from '../../kernel/preconditions.ts'
import { coverSomewhere, scopesMissing } from '../../kernel/authorise.ts'
import { memberOf } from '../../lib/guards.ts'
import { pointer } from '../../lib/pointers.ts'
import { changeWorkflow, createWorkflow, removeWorkflow, type ChangedWorkflow } from '../workflows/index.ts'
import { requireChangeable, type Workflow } from '../definitions/index.ts'
import { ownerOf, type Owner } from '../identity/acting/index.ts'
import { type Plugins } from '../plugins/index.ts'
import { requireAgent } from './find.ts'
import { agentKinds } from './kind.ts'
import { scopesOfTool } from './blocks/tools.ts'
import { changedTask, graphOf, presentAgent, taskOf, type AgentTask } from './task.ts'

export type Body = Input<typeof agents.create>['body'] | Input<typeof agents.update>['body']

/** Where an attribute stands in a body. */
export const pointerTo = (body: Body, name: string): string =>
  pointer('data' in body ? ['data', 'attributes', name] : [name])

/** Creates an agent that acts for its creator. */
export async function createAgent(
  ctx: WriteContext,
  plugins: Plugins,
  body: Input<typeof agents.create>['body'],
): Promise<Workflow> {
  const given = attributesOf<NewAgent>(body)
  const { name, description, enabled = false, scopes = [] } = given
  requireSelf(ctx, body, given.owner_id)
  requireScopes(ctx, body, scopes)
  const task = changedTask(taskOf(undefined), given)
  requireTools(ctx, body, task, scopes)
  if (enabled) requireReady(ctx, plugins, body, task)
  return createWorkflow(
    ctx,
    { plugins, kinds: agentKinds },
    { name, description, enabled, ...graphOf(task) },
    { type: 'agent', ownerOf: (id) => agentOwner(ctx, id, scopes) },
  )
}

/** Changes an agent; a change without a difference leaves no trace. */
export async function changeAgent(
  ctx: WriteContext,
  plugins: Plugins,
  id: string,
  body: Input<typeof agents.update>['body'],
): Promise<ChangedWorkflow> {
  if ('data' in body) requireSameId(ctx, body.data.id, id)
  await requireAgent(ctx, id)
  // Locked before it is looked at: what another change says meanwhile, such as fewer scopes, is not taken back.
  const agent = await requireChangeable(ctx, id)
  const { row, graph } = agent
  const given = requireChange(ctx, agent, body)
  const { name, description, enabled } = given
  const isTakenOver = given.owner_id !== undefined && given.owner_id !== row.owner_id
  if (isTakenOver) requireSelf(ctx, body, given.owner_id)
  const task = changedTask(taskOf(graph), given)
  const attributes = { name, description, enabled, ...graphOf(task) }
  const parts = { plugins, kinds: agentKinds }
  if (!saysWhatItDoes(given, row.enabled)) return changeWorkflow(ctx, parts, id, { name, description, enabled })
  if (!isTakenOver && holderId(ctx.actor) !== row.owner_id)
    throw ctx.fail('forbidden', {
      detail: 'Only the owner of an agent can change its task. Take it over with `owner_id`, or disable it.',
    })
  const scopes = given.scopes ?? row.actor.scopes
  requireScopes(ctx, body, scopes)
  requireTools(ctx, body, task, scopes)
  if (enabled ?? row.enabled) requireReady(ctx, plugins, body, task)
  return changeWorkflow(ctx, parts, id, attributes, { ownerOf: () => agentOwner(ctx, id, scopes) })
}

/** Deletes an agent for good; a job removes its runs. */
export async function removeAgent(ctx: WriteContext, id: string): Promise<void> {
  await requireAgent(ctx, id)
  await removeWorkflow(ctx, id)
}

/** Returns the attributes that a body changes: the rest of it may be sent back as it was read. */
function requireChange(ctx: WriteContext, agent: Workflow, body: Input<typeof agents.update>['body']): AgentChange {
  const { owner_id, ...given } = attributesOf<AgentChange>(body)
  const read = presentAgent(agent).attributes
  requireAsRead(ctx, given, read, 'data' in body ? ['data', 'attributes'] : [])
  const changes = Object.entries(given).filter(([name, value]) => !isDeepStrictEqual(value, memberOf(read, name)))
  return { ...Object.fromEntries(changes), ...(owner_id !== agent.row.owner_id && { owner_id }) }
}

/** Returns whether a change is about more than the name of an agent, or whether it goes on. */
const saysWhatItDoes = ({ name: _name, description: _description, enabled, ...others }: AgentChange, was: boolean) =>
  Object.values(others).some((value) => value !== undefined) || (enabled === true && !was)

/** As whom an agent acts: as the caller, and no further than its scopes. */
const agentOwner = (ctx: WriteContext, id: string, scopes: readonly string[]): Owner => ({
  ...ownerOf(ctx.actor, ctx.workspace.role),
  scopes: [...new Set(scopes)].toSorted(),
  agent: id,
})

/** An agent acts for whom has made it, and no one else is acted for without a say. */
function requireSelf(ctx: WriteContext, body: Body, ownerId: string | undefined): void {
  if (agentOf(ctx.actor) !== undefined) throw ctx.fail('forbidden', { detail: 'An agent cannot have agents.' })
  if (ownerId === undefined || ownerId === holderId(ctx.actor)) return
  throw ctx.fail('invalid_body', {
    detail: 'An agent acts for its caller: `owner_id` can only be your own.',
    source: { pointer: pointerTo(body, 'owner_id') },
  })
}

/** A credential gives an agent nothing that it lacks itself. */
function requireScopes(ctx: WriteContext, body: Body, scopes: readonly string[]): void {
  const missing = scopesMissing(ctx.actor, scopes)
  if (missing.length === 0) return
  throw ctx.fail('forbidden', {
    detail: `Your credential lacks scopes of the agent: ${missing.join(', ')}.`,
    source: { pointer: pointerTo(body, 'scopes') },
  })
}

/** An agent names as tools what there is, and what its scopes allow. */
function requireTools(ctx: WriteContext, body: Body, { tools }: AgentTask, scopes: readonly string[]): void {
  for (const [index, name] of (tools ?? []).entries()) {
    const needed = scopesOfTool(name)
    const missing = needed?.find((scope) => !coverSomewhere(scopes, scope))
    if (needed !== undefined && missing === undefined) continue
    const isSent = attributesOf<AgentChange>(body).tools !== undefined
    throw ctx.fail('invalid_body', {
      detail:
        needed === undefined
          ? `Agents can call no operation named "${name}".`
          : `The tool "${name}" requires the scope "${missing}", which the agent does not have.`,
      source: { pointer: isSent ? `${pointerTo(body, 'tools')}/${index}` : pointerTo(body, 'scopes') },
    })
  }
}

/** Refuses to enable an agent that could not run. */
function requireReady(ctx: WriteContext, plugins: Plugins, body: Body, task: AgentTask): void {
  if (task.code !== null) return
  if (isBlank(task.instructions))
    throw ctx.fail('invalid_body', {
      detail: 'An enabled agent requires instructions or code.',
      source: { pointer: pointerTo(body, 'instructions') },
    })
  // Where other blocks have a language model to ask, agents have.
  if (plugins.block('ai:generate')?.isAvailable === false)
    throw ctx.fail('invalid_body', {
      detail: 'This server has no language model (AI_BASE_URL): give the agent code, or keep it disabled.',
      source: { pointer: pointerTo(body, 'enabled') },
    })
}
