type Tag = { readonly title: string; readonly group: string; readonly description: string }

/** How the reference presents each domain: the title is the tag. */
const tags: Readonly<Record<string, Tag>> = {
  api: {
    title: 'Index',
    group: 'Workspace',
    description: 'The name and version of the service, and the addresses of its documents.',
  },
  workspaces: {
    title: 'Workspaces',
    group: 'Workspace',
    description: 'A workspace contains everything else: members, objects, records. Its slug is in every path.',
  },
  settings: {
    title: 'Settings',
    group: 'Workspace',
    description: 'Settings of a whole workspace, such as its time zone. Each setting has a type and a default.',
  },
  layouts: {
    title: 'Layouts',
    group: 'Workspace',
    description: 'The content and order of the pages of an object and of the sidebar, for all members of a workspace.',
  },
  notifications: {
    title: 'Notifications',
    group: 'Workspace',
    description: 'Notifications of the caller: comments, mentions, assignments, shares, failed workflows.',
  },
  users: { title: 'Users', group: 'Workspace', description: 'The members of a workspace and their roles.' },
  invitations: {
    title: 'Invitations',
    group: 'Workspace',
    description: 'Invitations to become a member: a link that works once, for one e-mail address.',
  },
  apiKeys: {
    title: 'API keys',
    group: 'Workspace',
    description:
      'Keys for programs. A personal key acts as its creator, a workspace key as the workspace. A secret ' +
      'is shown only once.',
  },
  apps: {
    title: 'Apps',
    group: 'Workspace',
    description:
      'OAuth apps that admins register for the members of a workspace. Each member decides whether to connect one; ' +
      'it then acts for them, with the scopes that they granted.',
  },
  asyncTasks: {
    title: 'Async tasks',
    group: 'Workspace',
    description: 'Work that continues after the response: its progress and result. It can be cancelled.',
  },
  requests: {
    title: 'Requests',
    group: 'Workspace',
    description:
      'Changes that were sent with an `Idempotency-Key`, for callers that do not know whether one went through.',
  },
  emails: {
    title: 'E-mails',
    group: 'Automation',
    description: 'The e-mails of workflows and campaigns, and their delivery.',
  },
  suppressions: {
    title: 'Suppressions',
    group: 'Automation',
    description: 'Addresses that are no longer e-mailed.',
  },
  schemas: {
    title: 'Schemas',
    group: 'Data',
    description: 'The fields, types and relationships of objects, as JSON Schema.',
  },
  records: {
    title: 'Records',
    group: 'Data',
    description:
      'Create, change and delete the records of any object, one by one or thousands at a time. To list ' +
      'records, use Resources.',
  },
  resources: {
    title: 'Resources',
    group: 'Data',
    description:
      'The same records in JSON:API form: filtered, sorted, page by page, with what they are linked to. To change ' +
      'them, take Records.',
  },
  relationships: {
    title: 'Relationships',
    group: 'Data',
    description:
      'The links of a record: list, replace, add and remove them. Both ends of a relationship stay consistent.',
  },
  lists: {
    title: 'Lists',
    group: 'Data',
    description: 'Records put together: by hand in a static list, by a query in a dynamic one.',
  },
  exports: {
    title: 'Exports',
    group: 'Data',
    description: 'Files that the server writes: a bundle of a whole workspace.',
  },
  imports: {
    title: 'Imports',
    group: 'Data',
    description: 'Files that become records: CSV and NDJSON, with a mapping of columns to fields.',
  },
  sql: {
    title: 'SQL',
    group: 'Data',
    description: 'Questions in SQL: numbers, joins and groups over the records that the caller may read.',
  },
  search: { title: 'Search', group: 'Data', description: 'Finding records of any object by the words in them.' },
  comments: {
    title: 'Comments',
    group: 'Data',
    description: 'Messages of people about a record, in rich text. A comment is returned as a plain object.',
  },
  attachments: {
    title: 'Attachments',
    group: 'Data',
    description: 'Files that hang on a record. The bytes go to and come from signed URLs that expire.',
  },
  meetings: {
    title: 'Meetings',
    group: 'Data',
    description: 'Recordings and transcripts of meetings. The meetings themselves are records.',
  },
  access: {
    title: 'Access',
    group: 'Data',
    description:
      'Sharing single records, lists, meetings and messages with members or with the whole workspace, and ' +
      'why a person may do what.',
  },
  workflows: {
    title: 'Workflows',
    group: 'Automation',
    description: 'Automation: a trigger, the blocks that follow it, and a record of every run.',
  },
  campaigns: {
    title: 'Campaigns',
    group: 'Automation',
    description: 'E-mails to many people, step by step, and how each of them took it.',
  },
  agents: {
    title: 'Agents',
    group: 'Automation',
    description:
      'Programs and language models that act for a member, within scopes and budgets; each run can be undone.',
  },
  inboundWebhooks: {
    title: 'Inbound webhooks',
    group: 'Automation',
    description:
      'Addresses to which other programs send what workflows and agents begin with. The address is the credential.',
  },
  limits: { title: 'Limits', group: 'Workspace', description: 'Rate limits and sizes.' },
  webhooks: {
    title: 'Webhooks',
    group: 'Automation',
    description:
      'Events sent to other systems as they happen: signed, in order, repeated until they arrive, with a log of ' +
      'every attempt.',
  },
  activities: {
    title: 'Activities',
    group: 'Data',
    description: 'The history of records and schemas: who changed what, and when.',
  },
  events: {
    title: 'Events',
    group: 'Data',
    description:
      'Everything that happens in a workspace, in one order: read page by page, followed as a stream, or sent to a ' +
      'URL of yours.',
  },
}

/** The tag of a domain; throws for a domain that has none, so that nothing goes undocumented. */
export function tagOf(domain: string): Tag {
  const tag = tags[domain]
  if (tag === undefined) throw new Error(`the domain ${domain} has no entry in openapi/tags.ts`)
  return tag
}
