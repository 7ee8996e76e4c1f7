type Tag = { readonly title: string; readonly group: string; readonly description: string }

/** The title and the description of each domain in the reference: the title is the tag. */
const tags: Readonly<Record<string, Tag>> = {
  api: {
    title: 'Index',
    group: 'Workspace',
    description: 'The name and version of the server, and the addresses of its OpenAPI documents.',
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
    description: 'Find out whether a change that was sent with an `Idempotency-Key` was executed.',
  },
  emails: {
    title: 'E-mails',
    group: 'Automation',
    description: 'The e-mails of workflows and campaigns, and their delivery.',
  },
  suppressions: {
    title: 'Suppressions',
    group: 'Automation',
    description: 'E-mail addresses that workflows and campaigns no longer write to.',
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
      'The same records in JSON:API form: filter, sort and page through them, and include linked records. To change ' +
      'them, use Records.',
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
    description:
      'Named sets of records: a static list contains the records that you add, a dynamic list those that its query ' +
      'finds.',
  },
  exports: {
    title: 'Exports',
    group: 'Data',
    description:
      'Files that the server writes: records, lists and results of SQL as CSV, NDJSON, XLSX or Parquet, and bundles ' +
      'of whole workspaces.',
  },
  imports: {
    title: 'Imports',
    group: 'Data',
    description: 'Import CSV, XLSX, NDJSON and vCard files as records, with a mapping of columns to fields.',
  },
  sql: {
    title: 'SQL',
    group: 'Data',
    description: 'Run SQL queries with joins, groups and aggregates over the records that the caller may read.',
  },
  search: { title: 'Search', group: 'Data', description: 'Search the records of all objects by the words in them.' },
  comments: {
    title: 'Comments',
    group: 'Data',
    description:
      'Messages about a record, in rich text. A comment is sent and returned as a plain object, without `data` ' +
      'around it.',
  },
  attachments: {
    title: 'Attachments',
    group: 'Data',
    description:
      'Files that belong to a record. They are uploaded and downloaded directly, with signed URLs that expire.',
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
      'Share single records, lists, meetings and messages with members or with the whole workspace, and find out ' +
      'why a person has access.',
  },
  workflows: {
    title: 'Workflows',
    group: 'Automation',
    description: 'Automation: a trigger, the blocks that follow it, and the history of every run.',
  },
  campaigns: {
    title: 'Campaigns',
    group: 'Automation',
    description: 'Send e-mails to many people, step by step, and see how each person reacts.',
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
    description: 'URLs that other programs call to start workflows and agents. The URL is the credential.',
  },
  limits: { title: 'Limits', group: 'Workspace', description: 'Rate limits and size limits.' },
  webhooks: {
    title: 'Webhooks',
    group: 'Automation',
    description:
      'Send events to a URL of yours as they happen: signed, in order, retried until they arrive, with a log of ' +
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
      'Everything that happens in a workspace, in one order. Read events page by page, follow them as a stream, or ' +
      'receive them by webhook.',
  },
}

/** The tag of a domain; throws for a domain that has none, so that nothing goes undocumented. */
export function tagOf(domain: string): Tag {
  const tag = tags[domain]
  if (tag === undefined) throw new Error(`the domain ${domain} has no entry in openapi/tags.ts`)
  return tag
}
