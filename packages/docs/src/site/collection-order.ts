import { domains, operations, type Operation } from './operations.ts'
import { keep } from './collection-variables.ts'

type Folder = { readonly title: string; readonly description: string; readonly operations: readonly Operation[] }

/** Schema changes are async tasks, so the folder on tasks follows the one on schemas. */
const after: Readonly<Record<string, string>> = { asyncTasks: 'schemas' }

/** Operations that end what other requests use, or that change its address. */
const isLast = ({ endpoint, id }: Operation): boolean =>
  endpoint.method === 'DELETE' || id.endsWith('.rotateAddress') || id === 'users.update'

/** Things that contain what other deletions name. */
const holdsOthers = /^(records|lists|schemas|users)\.remove(Many)?$/

/** The innermost first. */
function depthOf({ endpoint, id }: Operation): number {
  if (endpoint.method !== 'DELETE') return Infinity
  return endpoint.path.length - (holdsOthers.test(id) ? 1000 : 0)
}

/** The order of the fields lists all of them, so it comes before another field is added. */
const rankOf = ({ id }: Operation): number =>
  id === 'schemas.addProperties' || id === 'schemas.addRelationship' ? 1 : 0

const moved = Object.keys(after)
const inOrder = domains
  .filter(({ name }) => !moved.includes(name))
  .flatMap((domain) => [domain, ...domains.filter(({ name }) => after[name] === domain.name)])

/** The folders of the collection, so that it runs in order: deletions come last. */
export const folders: readonly Folder[] = [
  ...inOrder
    .map(({ title, description, operations: all }) => ({
      title,
      description,
      operations: all.filter((one) => !isLast(one)).toSorted((a, b) => rankOf(a) - rankOf(b)),
    }))
    .filter(({ operations: some }) => some.length > 0),
  {
    title: 'Rotate and delete',
    description: 'Ends what the requests before have created, the innermost first.',
    operations: operations.filter(isLast).toSorted((a, b) => depthOf(b) - depthOf(a)),
  },
]

/** Variables for the ids that an operation creates, for the requests after it. */
export const kept: Readonly<Record<string, readonly string[]>> = {
  'invitations.create': [keep('invitationId')],
  'apiKeys.create': [keep('apiKeyId')],
  'apps.create': [keep('appId')],
  'schemas.replace': [keep('asyncTaskId')],
  'lists.create': [keep('listId')],
  'comments.create': [keep('commentId', '_id')],
  'attachments.upload': [
    keep('uploadId', 'data.attachmentId'),
    keep('uploadUrl', 'data.signedUrl'),
    keep('uploadKey', 'data.key'),
  ],
  'attachments.create': [`pm.collectionVariables.set('attachmentId', pm.collectionVariables.get('uploadId'))`],
  'access.create': [keep('grantId')],
  'access.createOfObject': [keep('objectGrantId')],
  'meetings.addTranscript': [keep('recordingId')],
  'meetings.uploadMedia': [
    keep('recordingId', 'data.recordingId'),
    keep('uploadUrl', 'data.upload.url'),
    keep('uploadKey', 'data.upload.fields.key'),
  ],
  'imports.upload': [keep('importUploadId', 'data.upload_id'), keep('uploadUrl', 'data.signedUrl')],
  'imports.create': [keep('importId')],
  'exports.create': [keep('exportId')],
  'webhooks.create': [keep('webhookId')],
  'webhooks.test': [keep('webhookDeliveryId')],
  'campaigns.create': [keep('campaignId')],
  'agents.create': [keep('agentId')],
  'agents.run': [keep('agentRunId')],
  'emails.list': [keep('emailId', 'data[0].id')],
  'suppressions.create': [keep('suppressionId')],
}
