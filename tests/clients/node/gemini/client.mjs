/** Runs @google/genai for one task. */

import { asked } from "./asked.mjs";
import { tools } from "./genai.mjs";
import { chat, talk } from "./genai_chat.mjs";
import { errors } from "./genai_errors.mjs";
import { limits } from "./genai_limits.mjs";
import { missing, picture, search, structured } from "./genai_others.mjs";
import { paths } from "./genai_paths.mjs";

const given = asked();
await { tools, chat, talk, paths, errors, limits, search, picture, structured, missing }[given.task](given);
