import { errorCodes, errorDefinitions, eventDefinitions, eventTypes } from '@kontor/contract'
import { errorGuide } from '@kontor/contract/openapi'
import { guides, type Guide } from './guides.ts'
import { domains, operations } from './operations.ts'
import { anchorOf } from './page.ts'
import { blocksIntroduction, conditions } from './plugin-page.ts'
import { plugins } from './plugins.ts'

/** One result of the search; its names are short, since every reader who searches loads all entries. */
type Entry = {
  /** Address below the root of the site. */
  readonly u: string
  readonly t: string
  /** Its kind: a guide, a command, an operation, an error, an event. */
  readonly k: string
  /** Names by which programs know it. */
  readonly n: string
  readonly x: string
}

/** Without code: the words around it say what it is about. */
const plain = (markdown: string): string =>
  markdown
    .replaceAll(/```[\s\S]*?```/g, ' ')
    .replaceAll(/`[{["][^`]*`/g, ' ')
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/[`*|[\]#]|-{3,}/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The parts of a page, so that a reader lands at the right heading. */
function partsOf({ name, title, markdown }: Guide): Entry[] {
  const [before = '', ...parts] = markdown.replace(/^# .*\n/, '').split(/^##+ /m)
  const kind = name === 'command-line' || name === 'server-commands' ? 'Command' : 'Guide'
  const page = { u: `guides/${name}.html`, t: title, k: kind, n: '', x: plain(before) }
  return [
    page,
    ...parts.map((part) => {
      const [heading = '', ...text] = part.split('\n')
      return { ...page, u: `${page.u}#${anchorOf(heading)}`, t: heading, n: title, x: plain(text.join(' ')) }
    }),
  ]
}

/** The pages that list all of a kind, each of which has an entry of its own. */
const overviews: readonly Entry[] = [
  // Without its table: the meaning of each code is found at the code.
  {
    u: 'errors.html',
    t: 'Errors',
    k: 'Reference',
    n: 'error codes status codes',
    x: plain(errorGuide.replaceAll(/^(#|\|) .*$/gm, '')),
  },
  {
    u: 'events.html',
    t: 'Events',
    k: 'Reference',
    n: 'event types',
    x: 'All events of webhooks, streams and workflows.',
  },
  { u: 'blocks.html', t: 'Workflow blocks', k: 'Reference', n: 'triggers exits actions', x: plain(blocksIntroduction) },
  {
    u: 'blocks.html#conditions',
    t: 'Conditions',
    k: 'Reference',
    n: 'Workflow blocks',
    x: plain(conditions),
  },
]

/** All that can be found. */
export const searchEntries: readonly Entry[] = [
  ...guides.flatMap(partsOf),
  ...overviews,
  ...domains.map(({ name, title, description }) => ({
    u: `reference/${name}.html`,
    t: title,
    k: 'Reference',
    n: name,
    x: plain(description),
  })),
  ...operations.map(({ domain, key, id, summary, description, endpoint }) => ({
    u: `reference/${domain}/${key}.html`,
    t: summary,
    k: 'Operation',
    n: `${endpoint.method} ${endpoint.path} ${id}`,
    x: plain(description),
  })),
  ...errorCodes.map((code) => {
    const { title, status, fix } = errorDefinitions[code]
    return { u: `errors/${code}.html`, t: title, k: 'Error', n: `${status} ${code}`, x: plain(fix) }
  }),
  ...eventTypes.map((type) => ({
    u: `events.html#${type}`,
    t: type,
    k: 'Event',
    n: '',
    x: plain(eventDefinitions[type].description),
  })),
  ...plugins.map(({ id, title, description, kinds }) => ({
    u: `blocks/${anchorOf(id)}.html`,
    t: title,
    k: 'Block',
    n: `${id} ${kinds.join(' ')} workflow`,
    x: plain(description),
  })),
]
