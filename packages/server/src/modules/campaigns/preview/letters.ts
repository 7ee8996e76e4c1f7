import type { CampaignLetter, WorkflowGraph, WorkflowNode } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { isId } from '../../../kernel/ids.ts'
import { actorId } from '../../../kernel/actor.ts'
import { isList, isString, itemsOf } from '../../../lib/guards.ts'
import { atLeast, levelOn } from '../../access/index.ts'
import { chooseAddress, findSuppressed, renderLetter, validAmong } from '../../emails/index.ts'
import { findObject, findRecord } from '../../objects/index.ts'
import { presentOne } from '../../query/index.ts'
import { findSettings } from '../../settings/index.ts'
import { FilledTooMuch, fillInput, TemplateFault, type RunScope } from '../../templates/index.ts'
import { letterSyntaxes } from '../../blocks/index.ts'
import { type Workflow } from '../../definitions/index.ts'

/** As much as a step may take. */
const charactersMax = 1 << 20

/** The letters that a person would get, as far as the caller sees the person. */
export async function lettersFor(
  ctx: WorkspaceReadContext,
  { graph }: Workflow,
  personId: string,
): Promise<CampaignLetter[]> {
  const data = await requirePerson(ctx, personId)
  const event = {
    id: null,
    type: graph.trigger.plugin_id,
    sequence: null,
    created_at: isoTime(ctx.now),
    actor: { _id: actorId(ctx.actor), entity: 'user' },
    object: { _id: personId, entity: 'person', data, diff: [] },
    data: null,
  }
  const { time_zone: zone } = await findSettings(ctx.tx, ctx.workspace.workspaceId)
  const to = await addressOf(ctx, personId, itemsOf(data['email_addresses']).filter(isString))
  return inOrder(graph)
    .filter(({ plugin_id }) => plugin_id === 'svc:send:email')
    .map(({ _id, input }) => {
      const { subject, message, text, html, attachments } = filledIn(ctx, input, {
        scope: { trigger: { state: { event } } },
        zone,
      })
      const letter = renderLetter({
        subject: isString(subject) ? subject : '',
        message: isList(message) ? message : undefined,
        text: isString(text) ? text : undefined,
        html: isString(html) ? html : undefined,
      })
      return { block_id: _id, to, ...letter, attachments: isList(attachments) ? attachments.filter(isString) : [] }
    })
}

/** Where a campaign would write to a person who is enrolled now; null where it would not. */
async function addressOf(ctx: WorkspaceReadContext, id: string, addresses: readonly string[]): Promise<string | null> {
  const of = { addresses: validAmong(addresses), people: [id] }
  const choice = chooseAddress({ id, addresses }, await findSuppressed(ctx.tx, ctx.workspace.workspaceId, of))
  return 'address' in choice ? choice.address : null
}

/** The input of a step with its variables filled in; a run would fail where that makes too much. */
function filledIn(
  ctx: WorkspaceReadContext,
  input: WorkflowNode['input'],
  { scope, zone }: { readonly scope: RunScope; readonly zone: string },
): Record<string, unknown> {
  try {
    return fillInput(input, scope, { charactersMax, syntaxes: letterSyntaxes, zone })
  } catch (error) {
    if (error instanceof TemplateFault)
      throw ctx.fail('invalid_body', { detail: error.message, source: { pointer: '/person_id' } })
    if (!(error instanceof FilledTooMuch)) throw error
    throw ctx.fail('invalid_body', {
      detail: `For this person an e-mail is longer than ${charactersMax} characters.`,
      source: { pointer: '/person_id' },
    })
  }
}

async function requirePerson(ctx: WorkspaceReadContext, id: string): Promise<Readonly<Record<string, unknown>>> {
  const { object, principal } = await findObject(ctx, 'person', 'read')
  const { workspaceId } = ctx.workspace
  const row = isId(id) ? await findRecord(ctx.tx, workspaceId, object.key, id) : undefined
  if (row === undefined || !atLeast(await levelOn(ctx.tx, workspaceId, principal, row, 'view'), 'view'))
    throw ctx.fail('invalid_body', {
      detail: 'There is no person with this id.',
      source: { pointer: '/person_id' },
    })
  return (await presentOne(ctx, object, row)).attributes
}

/** The blocks of a campaign one after another: a sequence does not branch. */
function inOrder({ trigger, blocks }: WorkflowGraph): WorkflowNode[] {
  const found: WorkflowNode[] = []
  for (let node = blocks[trigger.next ?? '']; node !== undefined; node = blocks[node.next ?? '']) {
    if (found.includes(node)) break
    found.push(node)
  }
  return found
}
