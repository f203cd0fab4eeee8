/** Runs anthropic's TypeScript client for one task: the tool loop, the other paths, or the errors. */

import { asked } from "./asked.mjs";
import { errors } from "./anthropic_errors.mjs";
import { paths } from "./anthropic_paths.mjs";
import { tools } from "./anthropic.mjs";

const given = await asked();
await { tools, paths, errors }[given.task](given);
