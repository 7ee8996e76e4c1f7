/** The id of an example; all of them are ids as Kontor makes them (UUID v7). */
const exampleId = (number: number): string => `019b2f6e-7a00-7000-8000-${number.toString(16).padStart(12, '0')}`

/**
 * The ids in the examples of the document. The sample data has all of them (`packages/demo`), so that every
 * documented sample runs unchanged on a server from `npm start`.
 */
export const exampleIds = {
  /** Grace Hopper. */
  person: exampleId(1),
  /** The person who made the sample data. */
  admin: exampleId(2),
  company: exampleId(3),
  deal: exampleId(4),
  member: exampleId(5),
  list: exampleId(6),
  grant: exampleId(7),
  /** A grant on all records of an object. */
  objectGrant: exampleId(16),
  /** A comment that is there; the example of a new one names `newComment`. */
  comment: exampleId(9),
  newComment: exampleId(8),
  invitation: exampleId(10),
  apiKey: exampleId(11),
  app: exampleId(60),
  asyncTask: exampleId(12),
  webhook: exampleId(17),
  webhookDelivery: exampleId(18),
  workflow: exampleId(19),
  workflowRun: exampleId(20),
  /** A run that waits for two weeks; the other one was cancelled. */
  waitingRun: exampleId(26),
  meeting: exampleId(21),
  recording: exampleId(22),
  campaign: exampleId(40),
  agent: exampleId(50),
  agentRun: exampleId(51),
  /** An attachment of the person, and an upload that none has been made of yet. */
  attachment: exampleId(23),
  upload: exampleId(24),
  import: exampleId(27),
  /** A file that has been uploaded and not imported yet. */
  importUpload: exampleId(28),
  export: exampleId(29),
  email: exampleId(30),
  suppression: exampleId(31),
  /** People who are there to be deleted, restored and merged. */
  spare: exampleId(13),
  deleted: exampleId(14),
  duplicate: exampleId(15),
} as const

/** The `Idempotency-Key` of a request that went through. */
export const exampleKey = 'import-2026-01-31-row-17'

const inWorkspaces = '/workspaces/{workspace}'

/** Examples of path parameters whose name alone does not say what they name, by the beginning of the path. */
const byPath: readonly (readonly [prefix: string, examples: Readonly<Record<string, string>>])[] = [
  [`${inWorkspaces}/users/`, { id: exampleIds.member }],
  [`${inWorkspaces}/invitations/`, { id: exampleIds.invitation }],
  [`${inWorkspaces}/api-keys/`, { id: exampleIds.apiKey }],
  [`${inWorkspaces}/apps/`, { id: exampleIds.app }],
  [`${inWorkspaces}/async-tasks/`, { id: exampleIds.asyncTask }],
  [`${inWorkspaces}/webhooks/`, { id: exampleIds.webhook }],
  [`${inWorkspaces}/workflows/`, { id: exampleIds.workflow }],
  [`${inWorkspaces}/workflow-runs/{id}/resume`, { id: exampleIds.waitingRun }],
  [`${inWorkspaces}/workflow-runs/{id}/steps/`, { id: exampleIds.waitingRun }],
  [`${inWorkspaces}/workflow-runs/`, { id: exampleIds.workflowRun }],
  [`${inWorkspaces}/imports/`, { id: exampleIds.import }],
  [`${inWorkspaces}/exports/`, { id: exampleIds.export }],
  [`${inWorkspaces}/emails/`, { id: exampleIds.email }],
  [`${inWorkspaces}/suppressions/`, { id: exampleIds.suppression }],
  [`${inWorkspaces}/comments/`, { id: exampleIds.comment }],
  [`${inWorkspaces}/settings/`, { key: 'time_zone' }],
  [`${inWorkspaces}/layouts/`, { id: 'list__person' }],
  [`${inWorkspaces}/objects/{object}/access/`, { grant: exampleIds.objectGrant }],
  [`${inWorkspaces}/schemas/{entity}/relationships/{field}`, { entity: 'deal' }],
  [`${inWorkspaces}/schemas/`, { object: 'c_committee' }],
]

/** The example of a path parameter where it differs from the one that its name has everywhere else. */
export const pathExample = (path: string, name: string): string | undefined =>
  byPath.find(([prefix]) => path.startsWith(prefix))?.[1][name]
