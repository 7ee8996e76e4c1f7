import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Random } from '../harness/random.ts'
import { runSeed } from '../harness/size.ts'
import { startReader } from './reader.ts'
import {
  chapterSnippets,
  guideNames,
  isProgram,
  isRun,
  nameOf,
  snippetsOf,
  tabLanguages,
  tabsOf,
  type Snippet,
  type TabLanguage,
} from './snippets.ts'

/** The words allowed behind a fence. Blocks that are not run are marked, which those of few pages need. */
const languages = ['', 'json', 'sql', 'sh', 'bash', 'ts', 'tsx', 'sh no-run', 'ts no-run'].concat(
  tabLanguages.flatMap((language) => [`${language} tab`, `${language} tab no-run`]),
)

/** The guides that are read, while someone writes them, with commas between; by default all. */
const only = process.env['KONTOR_GUIDE']?.split(',')

const runnable = guideNames.filter((guide) => snippetsOf(guide).some(isRun))

test.each(guideNames)('the blocks of the guide %s are run, or say that they are not', (guide) => {
  const snippets = snippetsOf(guide)
  expect(snippets.map(({ language }) => language).filter((language) => !languages.includes(language))).toEqual([])
  const commands = snippets.filter((one) => isRun(one) && !isProgram(one)).map(({ text }) => text)
  for (const program of snippets.filter(isProgram)) expect(commands.join('\n')).toContain(basename(nameOf(program)))
})

test('all guides do what they say beside the sample data', { timeout: 1_400_000 }, async ({ onTestFinished }) => {
  const { folder, read } = await startReader(onTestFinished)
  const random = new Random(runSeed)
  const failed: Record<string, string> = {}
  const withKey = { language: 'sh', text: 'KEY=$(cat data/demo-api-key)\n' }
  const commands = chapterSnippets.filter(({ language }) => language === 'sh')
  expect(commands.length).toBeGreaterThan(0)
  const chapters = await read([withKey, ...commands])
  if (chapters !== undefined) failed['chapters'] = chapters
  const pages = runnable.filter((name) => only === undefined || only.includes(name))
  for (const guide of random.shuffled(pages)) {
    const fault = await read(snippetsOf(guide).filter(isRun))
    if (fault !== undefined) failed[guide] = fault
  }
  const left = unignored(folder)
  // Other pages have changed what a page reads, and the programs of a page must not be in the way of another.
  for (const guide of random.shuffled(pages)) {
    const fault = await read(snippetsOf(guide).filter(isRun), { again: true })
    if (fault !== undefined) failed[`${guide}, again`] = fault
  }
  expect({ failed, left }).toEqual({ failed: {}, left: [] })
})

/** Returns the blocks that define `kontor` for a whole page, which all languages have in common. */
const setupOf = (guide: string): Snippet[] =>
  snippetsOf(guide).filter(({ language, text }) => language === 'sh' && text.includes('kontor() {'))

const withKey: Snippet = { language: 'sh', text: 'export KONTOR_API_KEY=$(cat data/demo-api-key)\n' }

/** Runs the tabs of a page in a language. */
const runTabs: Readonly<Record<TabLanguage, (program: string, guide: string) => Snippet[]>> = {
  ts: (text) => [
    withKey,
    { language: 'ts', text: `// examples/tabs.ts\n${text}` },
    { language: 'sh', text: 'npm run -s example examples/tabs.ts\n' },
  ],
  python: (text) => [withKey, { language: 'sh', text: `cat > tabs.py <<'TABS'\n${text}\nTABS\npython3 tabs.py\n` }],
  // Without `pipefail`, a command that fails before `| jq` would pass.
  cli: (text, guide) => [...setupOf(guide), { language: 'sh', text: `set -o pipefail\n${text}` }],
}

test.for(tabLanguages)('the tabs in %s do the same', { timeout: 900_000 }, async (language, { onTestFinished }) => {
  const { read } = await startReader(onTestFinished)
  const failed: Record<string, string> = {}
  const tabbed = guideNames.filter((guide) => tabsOf(guide, language) !== '')
  expect(tabbed.length).toBeGreaterThan(15)
  const guides = tabbed.filter((guide) => only === undefined || only.includes(guide))
  for (const guide of new Random(runSeed).shuffled(guides)) {
    const fault = await read(runTabs[language](tabsOf(guide, language), guide))
    if (fault !== undefined) failed[guide] = fault
  }
  expect(failed).toEqual({})
})

/** Lists the files that the guides left in their folder and that git would commit in a clone. */
function unignored(folder: string): string[] {
  const clone = fileURLToPath(new URL('../..', import.meta.url))
  const ofReader = ['bin', 'refused']
  const left = ['', 'examples', 'clients'].flatMap((within) =>
    readdirSync(join(folder, within), { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !ofReader.includes(entry.name))
      .map(({ name }) => join(within, name)),
  )
  const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '--stdin'], {
    cwd: clone,
    input: left.join('\n'),
    encoding: 'utf8',
  })
  return left.filter((name) => !stdout.split('\n').includes(name))
}
