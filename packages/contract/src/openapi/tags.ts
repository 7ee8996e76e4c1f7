type Tag = { readonly title: string; readonly group: string; readonly description: string }

/** How the reference presents each domain: the title is the tag. */
const tags: Readonly<Record<string, Tag>> = {
  api: {
    title: 'Index',
    group: 'Workspace',
    description: 'Which service answers here, in which version, and where its documents are.',
  },
  workspaces: {
    title: 'Workspaces',
    group: 'Workspace',
    description: 'A workspace holds everything else: members, objects, records. Its slug stands in every path.',
  },
  users: { title: 'Users', group: 'Workspace', description: 'The members of a workspace and their roles.' },
  invitations: {
    title: 'Invitations',
    group: 'Workspace',
    description: 'How people become members: a link that works once, for one e-mail address.',
  },
  apiKeys: {
    title: 'API keys',
    group: 'Workspace',
    description:
      'Keys for programs. A personal key acts as the user who made it, a workspace key as the workspace. A ' +
      'secret is shown once.',
  },
  asyncTasks: {
    title: 'Async tasks',
    group: 'Data',
    description: 'Work that goes on after its request was answered: how far it is, how it ended, and how to stop it.',
  },
  requests: {
    title: 'Requests',
    group: 'Workspace',
    description:
      'Changes that were sent with an `Idempotency-Key`, for callers that do not know whether one went through.',
  },
  schemas: {
    title: 'Schemas',
    group: 'Data',
    description: 'What an object is made of: its fields, their types, its relationships, as JSON Schema.',
  },
  records: {
    title: 'Records',
    group: 'Data',
    description: 'Create, change and delete the records of any object, one by one or thousands at once.',
  },
  resources: {
    title: 'Resources',
    group: 'Data',
    description: 'The same records in JSON:API form: filtered, sorted, page by page, with what they are linked to.',
  },
  relationships: {
    title: 'Relationships',
    group: 'Data',
    description:
      'What a record is linked to: list, replace, add and remove links. Both ends of a relationship stay in step.',
  },
  lists: {
    title: 'Lists',
    group: 'Data',
    description: 'Records put together: by hand in a static list, by a query in a dynamic one.',
  },
  search: { title: 'Search', group: 'Data', description: 'Finding records of any object by the words in them.' },
  comments: {
    title: 'Comments',
    group: 'Data',
    description: 'What people say about a record, in rich text. A comment is answered with as a bare row.',
  },
  access: {
    title: 'Access',
    group: 'Data',
    description:
      'Sharing single records, lists, meetings and messages with members or with the whole workspace, and ' +
      'why a person may do what.',
  },
  limits: { title: 'Limits', group: 'Workspace', description: 'How much and how often one may ask.' },
  activities: {
    title: 'Activities',
    group: 'Data',
    description:
      'What happened to a record: who changed what, when, and what was said about it. And what happened to ' +
      'the schemas.',
  },
}

/** The tag of a domain; throws for a domain that has none, so that nothing goes undocumented. */
export function tagOf(domain: string): Tag {
  const tag = tags[domain]
  if (tag === undefined) throw new Error(`the domain ${domain} has no entry in openapi/tags.ts`)
  return tag
}
