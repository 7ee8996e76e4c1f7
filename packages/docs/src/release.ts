import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chapterOf, hasChapter, withChapter } from './compatibility/changelog.ts'
import { changesSinceRelease, currentApi, releasedFile } from './compatibility/released.ts'
import { document } from './site/document.ts'
import { home, writeFiles } from './write.ts'

const changelogFile = 'pages/changelog.md'

// Run at a release: what has changed goes into the changelog, and the API of now is what later ones are compared with.
const changelog = readFileSync(join(home, changelogFile), 'utf8')
const { version } = document.info
if (hasChapter(changelog, version)) {
  process.stderr.write(`${version} has been released already. \`pnpm changeset version\` raises the version.\n`)
  process.exit(1)
}
const today = new Date().toISOString().slice(0, 10)
writeFiles({
  [changelogFile]: withChapter(changelog, chapterOf(version, today, changesSinceRelease())),
  [releasedFile]: `${JSON.stringify(currentApi(), null, 1)}\n`,
})
