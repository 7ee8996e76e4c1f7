import { webhooks, workspaceFiles, type Input } from '@kontor/contract'
import { say } from '../../output.ts'
import { collected } from '../workspace.ts'
import { changedOf, type Content, type Part } from './part.ts'

type NewWebhook = Input<typeof webhooks.create>['body']

const pageLimit = 100

const nameOf = ({ description, url }: Content): string => String(description || url)

/** Webhooks without their secrets; one is known by its description, or by its URL if it has none. */
export const webhooksPart: Part = {
  name: 'webhooks',
  noun: 'webhook',
  shape: workspaceFiles.webhooks,
  defaults: { filter: null, description: null, enabled: true, ordered: true, fifo: false },
  title: 'description',
  nameOf,
  list: async ({ rest, workspace }) => {
    const found = await collected(rest.all(webhooks.list, { workspace, page: { limit: pageLimit } }))
    return found.map(({ id, attributes: { url, events, filter, description, enabled, ordered, fifo } }) => {
      const content = { url, events, filter, description, enabled, ordered, fifo }
      return { id, name: nameOf(content), shownName: description || `${new URL(url).host} (${id})`, content }
    })
  },
  create: async ({ rest, workspace }, content, { showsSecrets }) => {
    const { body } = await rest.call(webhooks.create, { workspace, body: content as NewWebhook })
    const { id, attributes } = body.data
    say(
      showsSecrets
        ? `The new webhook ${id} signs with this secret, which is not shown again: ${attributes.secret}`
        : `The new webhook ${id} signs with a secret that is not shown here, since logs keep it. To read secrets, ` +
            'apply with --show-secrets, or rotate this one: ' +
            `POST /v1/workspaces/${workspace}/webhooks/${id}/rotate-secret with {"overlap_hours": 0}.`,
    )
  },
  update: async ({ rest, workspace }, { id }, { content, changed }) => {
    await rest.call(webhooks.update, { workspace, id, body: changedOf(content, changed) })
  },
  remove: async ({ rest, workspace }, { id }) => {
    await rest.call(webhooks.remove, { workspace, id })
  },
}
