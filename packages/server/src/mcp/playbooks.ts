/** An argument of a playbook. */
type PlaybookArgument = { readonly name: string; readonly description: string; readonly required: boolean }

/** A way to do a task with the tools, step by step, which a person begins. */
export type Playbook = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly PlaybookArgument[]
  readonly steps: (given: Readonly<Record<string, string>>) => readonly string[]
}

const argument = (name: string, description: string, required = true): PlaybookArgument => ({
  name,
  description,
  required,
})

const dryRunFirst = 'Make every change with "dry_run": true first, show me what would change, and wait for my yes.'

/** The playbooks, in the order in which they are listed. */
export const playbooks: readonly Playbook[] = [
  {
    name: 'review_pipeline',
    title: 'Review the pipeline',
    description: 'Measures open deals and finds those that need attention.',
    arguments: [argument('period', 'For example: this quarter.', false)],
    steps: ({ period = 'this quarter' }) => [
      `Review the pipeline for ${period}.`,
      'Call `describe_schema` for deal to learn stages and fields.',
      'Use `aggregate` for the sum and the count by stage, and by month of the close date.',
      'Use `list` for deals whose close date has passed and that are neither won nor lost.',
      'Report the numbers, then the five deals that need attention most, each with the reason.',
    ],
  },
  {
    name: 'merge_duplicates',
    title: 'Find and merge duplicates',
    description: 'Finds records that are the same thing twice, and merges them after a person agrees.',
    arguments: [argument('object', 'For example: company.')],
    steps: ({ object = 'company' }) => [
      `Find duplicates among the ${object} records and merge them.`,
      'Use `list` sorted by the primary field, compare neighbours, and `read` those that look alike.',
      'Records are duplicates only if a second value agrees, such as a domain, an address or a phone number.',
      'Keep the record with more values. Call `execute` with operation records.merge for each pair.',
      dryRunFirst,
    ],
  },
  {
    name: 'follow_up_meeting',
    title: 'Turn a meeting into tasks',
    description: 'Reads the transcript of a meeting, and creates tasks for promises.',
    arguments: [argument('meeting', 'Title or id of the meeting.')],
    steps: ({ meeting = '' }) => [
      `Turn the meeting "${meeting}" into tasks.`,
      'Find it with `search`, and read its transcript with `transcripts`.',
      'For each promise, `create` a task with title, due date and assignee, and set meeting_id. Skip those that exist.',
      'Comment on the meeting with a summary of three sentences.',
      dryRunFirst,
    ],
  },
  {
    name: 'enrich_records',
    title: 'Complete records',
    description: 'Fills in missing values from other data of the workspace.',
    arguments: [argument('object', 'For example: person.'), argument('field', 'The field to fill in.')],
    steps: ({ object = 'person', field = 'company_id' }) => [
      `Fill in \`${field}\` of ${object} records where it is empty.`,
      'Use `list` with a filter "Is empty", and look for the value in related records, e-mail domains and comments.',
      'Use only data of the workspace. Never guess, and omit what is uncertain.',
      'Write with `update`, in batches of at most 20.',
      dryRunFirst,
    ],
  },
  {
    name: 'plan_campaign',
    title: 'Plan a campaign',
    description: 'Chooses recipients and drafts a campaign. It is sent only after a person starts it.',
    arguments: [argument('goal', 'The goal of the campaign.')],
    steps: ({ goal = '' }) => [
      `Plan a campaign: ${goal}`,
      'Choose recipients with `list` and `aggregate`, and keep them in a static list with `lists`.',
      'Call `describe_operation` for campaigns.create, and create a draft with `execute`.',
      'Check it with the operation campaigns.preview. Never start it: a person does that.',
      dryRunFirst,
    ],
  },
]
