// Written by `pnpm --filter @kontor/client generate`, from the contract.
import type { AppContract, EventResource } from '@kontor/contract'

type EventType = EventResource['attributes']['type']

/** The first part of an event type: `workflow` of `workflow.updated`. */
export type Family = EventType extends infer T ? (T extends `${infer F}.${string}` ? F : never) : never

type Domains = readonly (keyof AppContract)[]

/** The domains whose operations make events of a family: what they are about, or what they change beside. */
export const emitters: Readonly<Record<Family, { readonly own: Domains; readonly beside: Domains }>> = {
  access: { own: ['access'], beside: ['records', 'lists'] },
  api_key: { own: ['apiKeys'], beside: ['users'] },
  app: { own: ['apps'], beside: ['users'] },
  attachment: { own: ['attachments'], beside: [] },
  comment: { own: ['comments'], beside: [] },
  email: { own: [], beside: [] },
  layout: { own: ['layouts'], beside: [] },
  list: { own: ['lists'], beside: ['schemas'] },
  meeting: { own: ['meetings'], beside: [] },
  member: { own: ['users', 'invitations'], beside: [] },
  record: { own: ['records', 'resources', 'meetings'], beside: ['relationships'] },
  relationship: { own: ['relationships'], beside: ['resources'] },
  schema: { own: ['schemas'], beside: [] },
  setting: { own: ['settings'], beside: [] },
  suppression: { own: ['suppressions'], beside: [] },
  webhook: { own: ['webhooks'], beside: ['users', 'schemas'] },
  workflow: { own: ['workflows', 'campaigns', 'agents'], beside: ['users', 'schemas'] },
  workspace: { own: ['workspaces'], beside: [] },
}
