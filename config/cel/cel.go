// Package cel compiles and runs the CEL expressions that config documents hold:
// selectors of disks, volumes and links, and the rules of the out-of-memory
// handler. Each environment knows the variables of its place and is built on
// first use, so that linking the package costs nothing until an expression is
// looked at.
//
// The package knows no documents; callers say which environment an expression
// belongs to.
package cel

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
)

// Environment is a place where expressions stand, with the variables and the
// result type that count there.
type Environment struct {
	name   string
	result *cel.Type
	build  func() (*cel.Env, error)
}

// String names the environment in messages.
func (e *Environment) String() string { return e.name }

// Program is a compiled expression.
type Program struct {
	program cel.Program
}

// Check compiles an expression and checks the type of its result.
func Check(e *Environment, expression string) error {
	_, err := e.compile(expression)

	return err
}

// Compile compiles an expression for running.
func Compile(e *Environment, expression string) (*Program, error) {
	ast, err := e.compile(expression)
	if err != nil {
		return nil, err
	}

	env, err := e.build()
	if err != nil {
		return nil, err
	}

	program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(costLimit))
	if err != nil {
		return nil, fmt.Errorf("expression cannot be run: %w", err)
	}

	return &Program{program: program}, nil
}

// costLimit bounds the work that one evaluation may cost, in CEL's units.
const costLimit = 1_000_000

func (e *Environment) compile(expression string) (*cel.Ast, error) {
	env, err := e.build()
	if err != nil {
		return nil, err
	}

	ast, issues := env.Compile(expression)
	if err := issues.Err(); err != nil {
		return nil, errors.New(firstIssue(issues))
	}

	if !ast.OutputType().IsExactType(e.result) {
		return nil, fmt.Errorf("expression yields %s, not %s", ast.OutputType(), e.result)
	}

	return ast, nil
}

// firstIssue puts the first fault on one line: "1:5: undeclared reference to 'x'".
func firstIssue(issues *cel.Issues) string {
	first := issues.Errors()[0]

	return fmt.Sprintf("expression, column %d: %s", first.Location.Column()+1, strings.TrimSpace(first.Message))
}

// Bool runs an expression that yields a boolean.
func (p *Program) Bool(vars map[string]any) (bool, error) {
	value, err := p.run(vars)
	if err != nil {
		return false, err
	}

	b, ok := value.(bool)
	if !ok {
		return false, fmt.Errorf("expression yields %T, not a boolean", value)
	}

	return b, nil
}

// Float runs an expression that yields a floating point number.
func (p *Program) Float(vars map[string]any) (float64, error) {
	value, err := p.run(vars)
	if err != nil {
		return 0, err
	}

	f, ok := value.(float64)
	if !ok {
		return 0, fmt.Errorf("expression yields %T, not a number", value)
	}

	return f, nil
}

func (p *Program) run(vars map[string]any) (any, error) {
	out, _, err := p.program.Eval(vars)
	if err != nil {
		return nil, fmt.Errorf("expression cannot be evaluated: %w", err)
	}

	return out.Value(), nil
}

func environment(name string, result *cel.Type, options func() []cel.EnvOption) *Environment {
	return &Environment{
		name:   name,
		result: result,
		build:  sync.OnceValues(func() (*cel.Env, error) { return cel.NewEnv(options()...) }),
	}
}
