import { Command } from 'commander'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { print, printData, say } from '../output.ts'

type Rotate = { readonly dropOthers?: true; readonly json?: true }

const rotate = (): Command =>
  new Command('rotate')
    .description(
      'Sign access tokens with a new key. Existing tokens stay valid until they expire. Servers do this ' +
        'every 90 days by themselves.',
    )
    .option(
      '--drop-others',
      'forget all other keys: every access token is worth nothing within seconds, for when a key has become known',
    )
    .option('--json', 'print {data: {kid}} as JSON; without it only the id of the new key')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(
        ['kontor signing-key rotate', 'a new key from now on'],
        ['kontor signing-key rotate --drop-others', 'and none of the old tokens any more'],
      ),
    )
    .action(async ({ dropOthers, json }: Rotate) => {
      const key = await administer((admin) => admin.rotateSigningKey({ dropOthers: dropOthers === true }))
      if (json) return printData(key)
      print(key.kid)
      if (dropOthers) say('Access tokens of before are no longer accepted. Apps get new ones by their refresh tokens.')
    })

export const signingKeyCommand = (): Command =>
  new Command('signing-key').description('Keys that sign access tokens.').addCommand(rotate())
