import { Command } from 'commander'
import { apiAddressOf, baseUrlOption } from '../connection.ts'
import { say } from '../output.ts'
import { revokeLogin } from '../login/kept-login.ts'
import { findLogin, keepLogin, loginsOption } from '../login/login-file.ts'

export const logoutCommand = (): Command =>
  new Command('logout')
    .description('End the login of "kontor login", on this machine and at the server.')
    .addOption(baseUrlOption())
    .addOption(loginsOption())
    .action(async ({ baseUrl, logins }: { readonly baseUrl?: string; readonly logins: string }) => {
      const url = apiAddressOf(baseUrl)
      const login = findLogin(logins, url)
      if (login === undefined) {
        say(`No one is logged in at ${url}.`)
        return
      }
      await revokeLogin(login)
      keepLogin(logins, url, undefined)
      say(`Logged out at ${url}.`)
    })
